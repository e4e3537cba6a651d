"""Integer functions of kernels against Python's integers, each on many random words."""

import numpy as np

from .gpu import launch

ALL = 2**32 - 1


def signed(word, bits=32):
    return (word & (2**bits - 1)) - (word >> (bits - 1) & 1) * 2**bits


def reverse(word, bits):
    return int(f"{word:0{bits}b}"[::-1], 2)


def byte_perm(x, y, selector):
    data = (y << 32 | x).to_bytes(8, "little")
    digits = [selector >> shift & 15 for shift in (0, 4, 8, 12)]
    return int.from_bytes([data[d] if d < 8 else 255 * (data[d - 8] >> 7) for d in digits], "little")


def parts(word, bits, is_signed):
    fields = [word >> shift & (2**bits - 1) for shift in range(0, 32, bits)]
    return [signed(each, bits) for each in fields] if is_signed else fields


def join(values, bits):
    return sum((value & (2**bits - 1)) << i * bits for i, value in enumerate(values))


def dot(x, y, z, is_signed, first=None):
    a = parts(x, 8 if first is None else 16, is_signed)
    b = parts(y, 8, is_signed)[first or 0 :]
    return z + sum(p * q for p, q in zip(a, b, strict=False))


# Expression in a kernel of unsigned x, y, z: the same of Python's integers, modulo 2**32.
OF_WORDS = {
    "__popc(x)": lambda x, y, z: x.bit_count(),
    "__clz(x)": lambda x, y, z: 32 - x.bit_length(),
    "__clz(x >> (y & 31))": lambda x, y, z: 32 - (x >> (y & 31)).bit_length(),
    "__clz(0)": lambda x, y, z: 32,
    "__ffs(x << (y & 31))": lambda x, y, z: ((w := x << (y & 31) & ALL) & -w).bit_length(),
    "__brev(x)": lambda x, y, z: reverse(x, 32),
    "__byte_perm(x, y, z)": byte_perm,
    "__funnelshift_l(x, y, z)": lambda x, y, z: (y << 32 | x) << z % 32 >> 32,
    "__funnelshift_r(x, y, z)": lambda x, y, z: (y << 32 | x) >> z % 32,
    "__funnelshift_lc(x, y, z & 63)": lambda x, y, z: (y << 32 | x) << min(z & 63, 32) >> 32,
    "__funnelshift_rc(x, y, z & 63)": lambda x, y, z: (y << 32 | x) >> min(z & 63, 32),
    "__mulhi(x, y)": lambda x, y, z: signed(x) * signed(y) >> 32,
    "__umulhi(x, y)": lambda x, y, z: x * y >> 32,
    "__mul24(x, y)": lambda x, y, z: signed(x, 24) * signed(y, 24),
    "__umul24(x, y)": lambda x, y, z: (x & 0xFFFFFF) * (y & 0xFFFFFF),
    "__sad(x, y, z)": lambda x, y, z: abs(signed(x) - signed(y)) + z,
    "__usad(x, y, z)": lambda x, y, z: abs(x - y) + z,
    "__hadd(x, y)": lambda x, y, z: (signed(x) + signed(y)) >> 1,
    "__rhadd(x, y)": lambda x, y, z: (signed(x) + signed(y) + 1) >> 1,
    "__uhadd(x, y)": lambda x, y, z: (x + y) >> 1,
    "__urhadd(x, y)": lambda x, y, z: (x + y + 1) >> 1,
    "__dp4a(int(x), int(y), int(z))": lambda x, y, z: dot(x, y, z, is_signed=True),
    "__dp4a(x, y, z)": lambda x, y, z: dot(x, y, z, is_signed=False),
    "__dp2a_lo(int(x), int(y), int(z))": lambda x, y, z: dot(x, y, z, is_signed=True, first=0),
    "__dp2a_hi(int(x), int(y), int(z))": lambda x, y, z: dot(x, y, z, is_signed=True, first=2),
    "__dp2a_lo(x, y, z)": lambda x, y, z: dot(x, y, z, is_signed=False, first=0),
    "__dp2a_hi(x, y, z)": lambda x, y, z: dot(x, y, z, is_signed=False, first=2),
    "min(x, y)": lambda x, y, z: min(x, y),
    "max(int(x), int(y))": lambda x, y, z: max(signed(x), signed(y)),
    "min(int(x), y)": lambda x, y, z: min(x, y),
    "abs(int(x))": lambda x, y, z: abs(signed(x)),
    "__float_as_uint(__uint_as_float(x))": lambda x, y, z: x,
    "__viaddmax_s32(x, y, z)": lambda x, y, z: max(signed(x + y), signed(z)),
    "__viaddmin_u32(x, y, z)": lambda x, y, z: min((x + y) & ALL, z),
    "__vimax3_s32_relu(x, y, z)": lambda x, y, z: max(*map(signed, (x, y, z)), 0),
    "__vimin3_u32(x, y, z)": min,
}
LONG = {
    "__popcll(a)": lambda a, b: a.bit_count(),
    "__clzll(a)": lambda a, b: 64 - a.bit_length(),
    "__ffsll((long long)(a << (b & 63)))": lambda a, b: ((w := a << (b & 63) & 2**64 - 1) & -w).bit_length(),
    "__brevll(a)": lambda a, b: reverse(a, 64),
    "__mul64hi(a, b)": lambda a, b: signed(a, 64) * signed(b, 64) >> 64,
    "__umul64hi(a, b)": lambda a, b: a * b >> 64,
    "__hiloint2double(a >> 32, (int)a) == __longlong_as_double(a) || isnan(__longlong_as_double(a))": lambda a, b: 1,
    "(unsigned)__double2hiint(__longlong_as_double(a))": lambda a, b: a >> 32,
    "(unsigned)__double2loint(__longlong_as_double(a))": lambda a, b: a & ALL,
    "max((long long)a, (long long)b)": lambda a, b: max(signed(a, 64), signed(b, 64)),
    "min(a, b)": min,
}


def clamp(value, bits, is_signed):
    low = -(2 ** (bits - 1)) if is_signed else 0
    return min(max(value, low), low + 2**bits - 1)


SIGNED_PARTS = {
    "__vabs": lambda x, y, bits: abs(x),
    "__vabsss": lambda x, y, bits: clamp(abs(x), bits, is_signed=True),
    "__vneg": lambda x, y, bits: -x,
    "__vnegss": lambda x, y, bits: clamp(-x, bits, is_signed=True),
    "__vadd": lambda x, y, bits: x + y,
    "__vaddss": lambda x, y, bits: clamp(x + y, bits, is_signed=True),
    "__vsub": lambda x, y, bits: x - y,
    "__vsubss": lambda x, y, bits: clamp(x - y, bits, is_signed=True),
    "__vavgs": lambda x, y, bits: (x + y) >> 1 if x + y < 0 else (x + y + 1) >> 1,
    "__vabsdiffs": lambda x, y, bits: abs(x - y),
    "__vmaxs": lambda x, y, bits: max(x, y),
    "__vmins": lambda x, y, bits: min(x, y),
    "__vcmpeq": lambda x, y, bits: -(x == y),
    "__vcmpne": lambda x, y, bits: -(x != y),
    "__vseteq": lambda x, y, bits: x == y,
    "__vsetne": lambda x, y, bits: x != y,
}
UNSIGNED_PARTS = {
    "__vaddus": lambda x, y, bits: clamp(x + y, bits, is_signed=False),
    "__vsubus": lambda x, y, bits: clamp(x - y, bits, is_signed=False),
    "__vavgu": lambda x, y, bits: (x + y + 1) >> 1,
    "__vhaddu": lambda x, y, bits: (x + y) >> 1,
    "__vabsdiffu": lambda x, y, bits: abs(x - y),
    "__vmaxu": lambda x, y, bits: max(x, y),
    "__vminu": lambda x, y, bits: min(x, y),
}
for symbol, compare in {
    "ge": lambda x, y: x >= y, "gt": lambda x, y: x > y, "le": lambda x, y: x <= y, "lt": lambda x, y: x < y,
}.items():  # fmt: skip
    for letter, table in (("s", SIGNED_PARTS), ("u", UNSIGNED_PARTS)):
        table[f"__vcmp{symbol}{letter}"] = lambda x, y, bits, compare=compare: -compare(x, y)
        table[f"__vset{symbol}{letter}"] = lambda x, y, bits, compare=compare: compare(x, y)
OF_ONE = {"__vabs", "__vabsss", "__vneg", "__vnegss"}


def on_parts(function, bits, is_signed):
    def whole(x, y, z):
        pairs = zip(parts(x, bits, is_signed), parts(y, bits, is_signed), strict=True)
        return join([function(p, q, bits) for p, q in pairs], bits)

    return whole


def sums(bits, is_signed):
    return lambda x, y, z: sum(
        abs(p - q) for p, q in zip(parts(x, bits, is_signed), parts(y, bits, is_signed), strict=True)
    )


for bits, count in ((16, 2), (8, 4)):
    for functions, is_signed in ((SIGNED_PARTS, True), (UNSIGNED_PARTS, False)):
        for name, function in functions.items():
            operands = "x" if name in OF_ONE else "x, y"
            OF_WORDS[f"{name}{count}({operands})"] = on_parts(function, bits, is_signed)
        OF_WORDS[f"__vsad{'us'[is_signed]}{count}(x, y)"] = sums(bits, is_signed)
for name, choose in (("max", max), ("min", min)):
    for letter, is_signed in (("s", True), ("u", False)):
        part = on_parts(lambda x, y, bits, choose=choose: choose(x, y), 16, is_signed)
        OF_WORDS[f"__vi{name}3_{letter}16x2(x, y, z)"] = lambda x, y, z, part=part: part(part(x, y, 0), z, 0)
        OF_WORDS[f"__viadd{name}_{letter}16x2(x, y, z)"] = lambda x, y, z, part=part: part(
            join([p + q for p, q in zip(parts(x, 16, False), parts(y, 16, False), strict=True)], 16), z, 0
        )

ROWS = "\n".join([f"    out[{row} * n + i] = {call};" for row, call in enumerate(OF_WORDS)])
LONG_ROWS = "\n".join([f"    out[{row} * n + i] = {call};" for row, call in enumerate(LONG)])
SOURCE = f"""
extern "C" __global__ void words(const unsigned* xs, const unsigned* ys, const unsigned* zs, unsigned* out, int n) {{
    const int i = threadIdx.x;
    const unsigned x = xs[i], y = ys[i], z = zs[i];
{ROWS}
}}
extern "C" __global__ void longs(const unsigned long long* as, const unsigned long long* bs, unsigned long long* out,
                                 int n) {{
    const int i = threadIdx.x;
    const unsigned long long a = as[i], b = bs[i];
{LONG_ROWS}
}}
extern "C" __global__ void nth_set_bit(const unsigned* masks, const int* from, const int* counts, unsigned* out) {{
    const int i = threadIdx.x;
    out[i] = __fns(masks[i], from[i], counts[i]);
}}
extern "C" __global__ void firsts(const unsigned* xs, const unsigned* ys, unsigned* out) {{
    const int i = threadIdx.x;
    bool high, low, larger;
    out[2 * i] = __vibmax_s16x2(xs[i], ys[i], &high, &low);
    __vibmax_u32(xs[i], ys[i], &larger);
    out[2 * i + 1] = high * 4 + low * 2 + larger;
}}
"""
COUNT = 256


def words(seed, dtype="u4"):
    """Return random words with many bytes that are all zeros or ones."""
    random = np.random.default_rng(seed)
    rows = random.integers(0, 256, (COUNT, np.dtype(dtype).itemsize), np.uint8)
    rows = np.where(random.random(rows.shape) < 0.3, random.choice([0, 1, 127, 128, 255], rows.shape), rows)
    return rows.astype(np.uint8).view(dtype).ravel()


def test_functions_of_words_are_those_of_integers_of_any_size():
    x, y, z = words(0), words(1), words(2)
    out = launch(SOURCE, "words", 1, COUNT, x, y, z, np.zeros((len(OF_WORDS), COUNT), "u4"), COUNT, checks="none")[3]
    for call, row in zip(OF_WORDS, out, strict=True):
        right = [OF_WORDS[call](*each) & ALL for each in zip(x.tolist(), y.tolist(), z.tolist(), strict=True)]
        np.testing.assert_array_equal(row, np.array(right, "u4"), call)


def test_functions_of_long_words_are_those_of_integers_of_any_size():
    a, b = words(3, "u8"), words(4, "u8")
    out = launch(SOURCE, "longs", 1, COUNT, a, b, np.zeros((len(LONG), COUNT), "u8"), COUNT, checks="none")[2]
    for call, row in zip(LONG, out, strict=True):
        right = [LONG[call](*each) % 2**64 for each in zip(a.tolist(), b.tolist(), strict=True)]
        np.testing.assert_array_equal(row, np.array(right, "u8"), call)


def test_the_nth_set_bit_is_found_upwards_and_downwards():
    random = np.random.default_rng(5)
    masks, bases = words(6), random.integers(0, 32, COUNT, "i4")
    counts = random.integers(-6, 7, COUNT).astype("i4")
    output = launch(SOURCE, "nth_set_bit", 1, COUNT, masks, bases, counts, np.zeros(COUNT, "u4"), checks="none")[3]
    for mask, base, count, result in zip(masks.tolist(), bases.tolist(), counts.tolist(), output.tolist(), strict=True):
        ways = [base] if count == 0 else range(base, 32) if count > 0 else range(base, -1, -1)
        bits = [bit for bit in ways if mask >> bit & 1]
        place = max(abs(count) - 1, 0)
        assert result == (bits[place] if place < len(bits) else ALL), (mask, base, count)


def test_the_larger_halfwords_and_where_they_are_from(warp):
    x, y = words(7), words(8)
    out = launch(SOURCE, "firsts", 1, COUNT, x, y, np.zeros(2 * COUNT, "u4"), warp=warp, checks="none")[2]
    a, b = x.view("i2").reshape(-1, 2), y.view("i2").reshape(-1, 2)
    np.testing.assert_array_equal(out[::2].copy().view("i2").reshape(-1, 2), np.maximum(a, b))
    np.testing.assert_array_equal(out[1::2], (a >= b) @ [2, 4] + (x >= y))

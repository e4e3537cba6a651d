"""`curand_kernel.h`: the numbers of XORWOW and Philox, against Python, and numbers of cuRAND's headers."""

import numpy as np
import pytest

from .gpu import launch

SOURCE = r"""
#include <curand_kernel.h>
#include <hiprand/hiprand_kernel.h>

template <typename State>
__device__ void draw(unsigned long long seed, unsigned long long sequence, unsigned long long offset, unsigned* to) {
    State state;
    curand_init(seed, sequence, offset, &state);
    for (int i = 0; i < 8; ++i) to[i] = curand(&state);
    skipahead(5ull, &state);
    skipahead_sequence(3ull, &state);
    to[8] = curand(&state);
}
extern "C" __global__ void drawn(unsigned long long seed, unsigned long long sequence, unsigned long long offset,
                                 unsigned* xorwow, unsigned* philox) {
    draw<curandState>(seed, sequence, offset, xorwow);
    draw<curandStatePhilox4_32_10_t>(seed, sequence, offset, philox);
}
extern "C" __global__ void sizes(int* to) {
    to[0] = sizeof(curandState), to[1] = sizeof(curandStatePhilox4_32_10_t);
}

template <typename State>
__device__ void distribute(int i, int n, float* uniform, float* normal, double* uniform_double, double* normal_double) {
    State state;
    curand_init(7, i, 0, &state);
    uniform[i] = curand_uniform(&state);
    normal[i] = curand_normal(&state), normal[i + n] = curand_normal(&state);
    uniform_double[i] = curand_uniform_double(&state);
    normal_double[i] = curand_normal_double(&state);
    normal[i + 2 * n] = curand_log_normal(&state, 0.0f, 1.0f);
}
extern "C" __global__ void distributed(int philox, int n, float* a, float* b, double* c, double* d) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (philox) distribute<hiprandStatePhilox4_32_10_t>(i, n, a, b, c, d);
    else distribute<hiprandState>(i, n, a, b, c, d);
}
extern "C" __global__ void kept(unsigned char* bytes, unsigned* to) {
    curandState* const states = (curandState*)bytes;
    const int i = threadIdx.x;
    curandState state = states[i];
    if (to[i] == 0) curand_init(1234, i, 0, &state);
    to[i] = curand(&state);
    states[i] = state;
}
"""
MASK = 0xFFFFFFFF


def step(words):
    """Make one step of the linear part of XORWOW; of one state, or of a matrix of states as columns of bits."""
    t = words[0] ^ words[0] >> 2
    return [*words[1:], (words[4] ^ words[4] << 4 & MASK) ^ (t ^ t << 1 & MASK)]


def words_of(number):
    return [number >> 32 * i & MASK for i in range(5)]


def number_of(words):
    return sum(word << 32 * i for i, word in enumerate(words))


def power_of_step(exponent):
    """Return the images of the 160 unit vectors under `exponent` steps."""
    result = [1 << i for i in range(160)]
    base = [number_of(step(words_of(1 << i))) for i in range(160)]
    while exponent:
        if exponent & 1:
            result = [applied(base, each) for each in result]
        base = [applied(base, each) for each in base]
        exponent >>= 1
    return result


def applied(matrix, vector):
    word = 0
    for i in range(160):
        if vector >> i & 1:
            word ^= matrix[i]
    return word


class Xorwow:
    """The generator, with the seeding that cuRAND documents by its header."""

    def __init__(self, seed, sequence, offset):
        a = 1099087573 * (seed & MASK ^ 0xAAD26B49) & MASK
        b = 2591861531 * (seed >> 32 ^ 0xF7DCEFDD) & MASK
        self.d = 6615241 + a + b & MASK
        self.words = [123456789 + a & MASK, 362436069 ^ a, 521288629 + b & MASK, 88675123 ^ b, 5783321 + a & MASK]
        self.skip((sequence << 67) + offset)

    def skip(self, count):
        self.words = words_of(applied(power_of_step(count), number_of(self.words)))
        self.d = self.d + 362437 * count & MASK

    def draw(self):
        self.words = step(self.words)
        self.d = self.d + 362437 & MASK
        return self.words[4] + self.d & MASK


class Philox:
    """The generator of Random123, as a sequence of words."""

    def __init__(self, seed, sequence, offset):
        self.key, self.at = (seed & MASK, seed >> 32), (sequence << 66) + offset

    def skip(self, count):
        self.at += count

    def draw(self):
        block, self.at = self.at // 4 & (1 << 128) - 1, self.at + 1
        return philox([block >> 32 * i & MASK for i in range(4)], self.key)[(self.at - 1) % 4]


def philox(counter, key):
    for number in range(10):
        a, b = 0xD2511F53 * counter[0], 0xCD9E8D57 * counter[2]
        k, m = key[0] + number * 0x9E3779B9 & MASK, key[1] + number * 0xBB67AE85 & MASK
        counter = [b >> 32 ^ counter[1] ^ k, b & MASK, a >> 32 ^ counter[3] ^ m, a & MASK]
    return counter


def drawn(seed, sequence, offset):
    start = [np.uint64(each) for each in (seed, sequence, offset)]
    return launch(SOURCE, "drawn", 1, 1, *start, np.zeros(9, np.uint32), np.zeros(9, np.uint32))[3:]


@pytest.mark.parametrize(
    "start",
    [(0, 0, 0), (2**40 + 7, 5, 0), (3, 0, 9), (42, 123456789, 1000003), (9, 2**63 + 12345, 2**50 + 3)],
    ids=str,
)
def test_words_are_those_of_the_published_algorithms(start):
    for words, generator in zip(drawn(*start), (Xorwow(*start), Philox(*start)), strict=True):
        expected = [generator.draw() for _ in range(8)]
        generator.skip(5 + (3 << (67 if isinstance(generator, Xorwow) else 66)))
        np.testing.assert_array_equal(words, [*expected, generator.draw()])


def test_the_philox_of_these_tests_gives_the_known_answer_of_random123():
    assert philox([0] * 4, (0, 0)) == [0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8]


def test_words_are_those_of_the_headers_of_curand():
    # Printed by a program with curand_kernel.h of CUDA 13.
    _, words = drawn(1, 0, 0)
    np.testing.assert_array_equal(words[:4], [3823634032, 3842641596, 2515673792, 3054873127])
    assert launch(SOURCE, "sizes", 1, 1, np.zeros(2, np.int32))[0].tolist() == [48, 64]


@pytest.mark.parametrize("generator", ["xorwow", "philox"])
def test_distributions_have_their_moments(generator):
    n = 20 * 256
    uniform, normal, uniform_double, normal_double = launch(
        SOURCE, "distributed", 20, 256, np.int32(generator == "philox"), np.int32(n), np.zeros(n, np.float32),
        np.zeros((3, n), np.float32), np.zeros(n), np.zeros(n), checks="",
    )[2:]  # fmt: skip
    for values in (uniform, uniform_double):
        assert values.min() > 0
        assert values.max() <= 1
        assert abs(values.mean() - 1 / 2) < 0.02
        assert abs(values.var() - 1 / 12) < 0.01
    for values in (normal[0], normal[1], normal_double, np.log(normal[2])):
        assert abs(values.mean()) < 0.06
        assert abs(values.std() - 1) < 0.06
    assert abs(np.corrcoef(normal[0], normal[1])[0, 1]) < 0.06


def test_a_state_in_memory_goes_on_where_it_was():
    states, zeros = np.zeros(32 * 48, np.uint8), np.zeros(32, np.uint32)
    states, first = launch(SOURCE, "kept", 1, 32, states, zeros)
    _, second = launch(SOURCE, "kept", 1, 32, states, first)
    for i in (0, 31):
        generator = Xorwow(1234, i, 0)
        assert [first[i], second[i]] == [generator.draw(), generator.draw()]

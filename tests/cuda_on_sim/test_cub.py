"""CUB and libcu++ of the wheel `nvidia-cuda-cccl` in kernels, with all checks, against NumPy."""

import numpy as np
import pytest
from accel.backends.cuda_on_cpu.build import libraries
from accel.backends.cuda_on_cpu.text.ptx import translated_ptx

import accel
from accel.errors import CapabilityError, KernelRaceError

from .gpu import launch

CUB = r"""
#include <cub/cub.cuh>
constexpr int T = 128, I = 4;

template <typename Block>
__device__ void reduced(const int* in, int* out) {
    __shared__ typename Block::TempStorage s;
    const int sum = Block(s).Sum(in[threadIdx.x]);
    __syncthreads();
    const int most = Block(s).Reduce(in[threadIdx.x], [](int a, int b) { return a > b ? a : b; });
    if (threadIdx.x == 0) out[0] = sum, out[1] = most;
}
extern "C" __global__ void reductions(const int* in, int* out, double* wide) {
    const int t = threadIdx.x;
    reduced<cub::BlockReduce<int, T>>(in, out);
    reduced<cub::BlockReduce<int, T, cub::BLOCK_REDUCE_RAKING>>(in, out + 2);
    reduced<cub::BlockReduce<int, T, cub::BLOCK_REDUCE_RAKING_COMMUTATIVE_ONLY>>(in, out + 4);
    using Floats = cub::BlockReduce<float, T>;
    using Doubles = cub::BlockReduce<double, T>;
    using Longs = cub::BlockReduce<long long, T>;
    __shared__ union { Floats::TempStorage f; Doubles::TempStorage d; Longs::TempStorage l; } s;
    const float f = Floats(s.f).Sum(in[t] * 0.5f);
    __syncthreads();
    const double d = Doubles(s.d).Sum(in[t] * 1.5);
    __syncthreads();
    const long long l = Longs(s.l).Sum((long long)in[t] << 33);
    if (t == 0) wide[0] = f, wide[1] = d, wide[2] = double(l);
}
template <cub::BlockScanAlgorithm ALGORITHM>
__device__ void scanned(const int* in, int* out) {
    using Block = cub::BlockScan<int, T, ALGORITHM>;
    __shared__ typename Block::TempStorage s;
    int to, total;
    Block(s).InclusiveSum(in[threadIdx.x], to);
    out[threadIdx.x] = to;
    __syncthreads();
    Block(s).ExclusiveSum(in[threadIdx.x], to, total);
    out[T + threadIdx.x] = to;
    __syncthreads();
    Block(s).InclusiveScan(in[threadIdx.x], to, cuda::maximum<>{});
    out[2 * T + threadIdx.x] = to, out[3 * T + threadIdx.x] = total;
}
extern "C" __global__ void scans(const int* in, int* out, double* wide) {
    const int t = threadIdx.x;
    scanned<cub::BLOCK_SCAN_RAKING>(in, out);
    scanned<cub::BLOCK_SCAN_RAKING_MEMOIZE>(in, out + 4 * T);
    scanned<cub::BLOCK_SCAN_WARP_SCANS>(in, out + 8 * T);
    using Doubles = cub::BlockScan<double, T, cub::BLOCK_SCAN_WARP_SCANS>;
    using Longs = cub::BlockScan<long long, T, cub::BLOCK_SCAN_WARP_SCANS>;
    __shared__ union { Doubles::TempStorage d; Longs::TempStorage l; } s;
    double d;
    Doubles(s.d).InclusiveSum(in[t] * 0.25, d);
    __syncthreads();
    long long l;
    Longs(s.l).InclusiveSum((long long)in[t] << 20, l);
    wide[t] = d, wide[T + t] = double(l);
}
extern "C" __global__ void arranged(const int* in, int* out) {
    const int t = threadIdx.x;
    using Load = cub::BlockLoad<int, T, I, cub::BLOCK_LOAD_TRANSPOSE>;
    using Store = cub::BlockStore<int, T, I, cub::BLOCK_STORE_WARP_TRANSPOSE>;
    using Sort = cub::BlockRadixSort<int, T, I, int>;
    using Exchange = cub::BlockExchange<int, T, I>;
    using Histogram = cub::BlockHistogram<unsigned char, T, I, 16>;
    using Heads = cub::BlockDiscontinuity<int, T>;
    __shared__ union {
        Load::TempStorage load; Store::TempStorage store; Sort::TempStorage sort; Exchange::TempStorage exchange;
        Histogram::TempStorage histogram; Heads::TempStorage heads;
    } s;
    __shared__ int counts[16];
    int x[I], place[I];
    unsigned char digits[I];
    Load(s.load).Load(in, x);
    __syncthreads();
    for (int i = 0; i < I; ++i) digits[i] = x[i] & 15, place[i] = t * I + i;
    Histogram(s.histogram).Histogram(digits, counts);
    __syncthreads();
    if (t < 16) out[t] = counts[t];
    Exchange(s.exchange).BlockedToStriped(x, x);
    for (int i = 0; i < I; ++i) out[16 + i * T + t] = x[i];
    __syncthreads();
    Exchange(s.exchange).StripedToBlocked(x, x);
    __syncthreads();
    Sort(s.sort).SortDescending(x, place);
    __syncthreads();
    Store(s.store).Store(out + 16 + T * I, x);
    __syncthreads();
    Store(s.store).Store(out + 16 + 2 * T * I, place);
    __syncthreads();
    int item[1] = {in[t] / 100}, head[1];
    Heads(s.heads).FlagHeads(head, item, cuda::std::not_equal_to<>{});
    out[16 + 3 * T * I + t] = head[0];
}
"""
WARPS = r"""
#include <cub/warp/warp_reduce.cuh>
#include <cub/warp/warp_scan.cuh>
constexpr int T = 128;
extern "C" __global__ void warps(const int* in, int* out) {
    const int t = threadIdx.x;
    using Reduce = cub::WarpReduce<int>;
    using Eight = cub::WarpReduce<int, 8>;
    using Scan = cub::WarpScan<int>;
    __shared__ Reduce::TempStorage r[T / 32];
    __shared__ Eight::TempStorage e[T / 8];
    __shared__ Scan::TempStorage s[T / 32];
    const int sum = Reduce(r[t / 32]).Sum(in[t]);
    if (t % 32 == 0) out[t / 32] = sum;
    const int least = Eight(e[t / 8]).Reduce(in[t], cuda::minimum<>{});
    if (t % 8 == 0) out[4 + t / 8] = least;
    Scan(s[t / 32]).ExclusiveSum(in[t], out[32 + t]);
}
"""
REUSED = r"""
#include <cub/block/block_reduce.cuh>
extern "C" __global__ void reused(const int* in, int* out) {
    using Block = cub::BlockReduce<int, 128>;
    __shared__ Block::TempStorage s;
    const int a = Block(s).Sum(in[threadIdx.x]);
    const int b = Block(s).Sum(in[threadIdx.x]);  // no barrier between
    if (threadIdx.x == 0) out[0] = a + b;
}
"""
ATOMICS = r"""
#include <cuda/atomic>

__device__ cuda::atomic<int, cuda::thread_scope_device> counter;

extern "C" __global__ void atomics(int* sums, float* real, double* wide, unsigned long long* bits) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    cuda::atomic_ref<int, cuda::thread_scope_device>(sums[0]).fetch_add(i, cuda::memory_order_relaxed);
    cuda::atomic_ref<int, cuda::thread_scope_system>(sums[1]).fetch_max(i, cuda::memory_order_acq_rel);
    cuda::atomic_ref<int>(sums[2]).fetch_min(-i);
    cuda::std::atomic_ref<int> third(sums[3]);
    for (int seen = third.load(); !third.compare_exchange_weak(seen, seen + 3);) continue;
    cuda::atomic_ref<float>(real[0]).fetch_add(0.5f);
    cuda::atomic_ref<double>(wide[0]).fetch_add(0.25);
    cuda::atomic_ref<unsigned long long>(bits[0]).fetch_or(1ull << i % 64);
    counter.fetch_add(1);
}
extern "C" __global__ void handed_over(int* flag, int* data, int* out) {
    cuda::atomic_ref<int, cuda::thread_scope_device> ready(*flag);
    if (threadIdx.x == 0 && blockIdx.x == 0) {
        *data = 42;
        ready.store(1, cuda::memory_order_release);
    }
    if (threadIdx.x == 32) {
        while (ready.load(cuda::memory_order_acquire) == 0) continue;
        out[blockIdx.x] = *data;
    }
}
"""
VALUES = r"""
#include <cuda/cmath>
#include <cuda/functional>
#include <cuda/std/array>
#include <cuda/std/bit>
#include <cuda/std/complex>
#include <cuda/std/limits>
#include <cuda/std/optional>
#include <cuda/std/span>
#include <cuda/std/tuple>

extern "C" __global__ void values(int* out, int n) {
    const int i = threadIdx.x;
    const cuda::std::array<int, 4> a{1, 2, 3, i};
    const auto [x, y] = cuda::std::tuple<int, float>(i, 2.0f);
    cuda::std::optional<int> odd;
    if (i % 2) odd = i;
    cuda::std::complex<float> c(1, i);
    c *= c;
    int* row = out + i;
    for (int value : {a[3], int(a.size()), x, int(y), odd.value_or(-1), int(c.real()), int(c.imag()),
                      cuda::std::popcount(unsigned(i)), cuda::std::countl_zero(unsigned(i + 1)),
                      int(cuda::std::numeric_limits<short>::max()), cuda::std::bit_cast<int>(1.0f),
                      cuda::ceil_div(i, 3), cuda::maximum<>{}(i, 5), int(cuda::std::span<const int>(a).back())}) {
        *row = value;
        row += n;
    }
}
"""
WAITING = r"""
#include <cooperative_groups.h>
#include <cuda/barrier>
#include <cuda/pipeline>

extern "C" __global__ void arrived(const int* in, int* out) {
    auto block = cooperative_groups::this_thread_block();
    __shared__ cuda::barrier<cuda::thread_scope_block> barrier;
    __shared__ int tile[128];
    if (threadIdx.x == 0) init(&barrier, blockDim.x);
    __syncthreads();
    cuda::memcpy_async(block, tile, in, sizeof tile, barrier);
    barrier.arrive_and_wait();
    out[threadIdx.x] = tile[127 - threadIdx.x];
}
extern "C" __global__ void piped(const int* in, int* out) {
    auto block = cooperative_groups::this_thread_block();
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
    __shared__ int tile[2][128];
    auto pipe = cuda::make_pipeline(block, &state);
    for (int i = 0; i < 4; ++i) {
        pipe.producer_acquire();
        cuda::memcpy_async(block, tile[i % 2], in + 128 * i, sizeof tile[0], pipe);
        pipe.producer_commit();
        pipe.consumer_wait();
        block.sync();
        out[128 * i + threadIdx.x] = tile[i % 2][127 - threadIdx.x];
        block.sync();
        pipe.consumer_release();
    }
}
"""
X = np.random.default_rng(3).integers(-1000, 1000, 512).astype(np.int32)
FIRST = X[:128]
SEEDS = pytest.mark.parametrize("seed", [0, 1])


@pytest.fixture(autouse=True)
def _cccl():
    if libraries._headers() is None:
        pytest.skip("nvidia-cuda-cccl is only for Linux")


def run(name, *results, source=CUB, grid=1, block=128, **settings):
    return launch(source, name, grid, block, X, *results, **settings)[1:]


@pytest.mark.slow
@SEEDS
def test_reductions_of_blocks(seed):
    result, wide = run("reductions", np.zeros(6, np.int32), np.zeros(3), seed=seed)
    assert result.tolist() == [FIRST.sum(), FIRST.max()] * 3
    assert wide.tolist() == [FIRST.sum() * 0.5, FIRST.sum() * 1.5, float(int(FIRST.sum()) << 33)]


@pytest.mark.slow
@SEEDS
def test_scans_of_blocks(seed):
    result, wide = run("scans", np.zeros((3, 4, 128), np.int32), np.zeros((2, 128)), seed=seed)
    sums = np.cumsum(FIRST)
    for each in result:
        np.testing.assert_array_equal(each, [sums, sums - FIRST, np.maximum.accumulate(FIRST), [sums[-1]] * 128])
    np.testing.assert_array_equal(wide, [sums * 0.25, sums * 2.0**20])


@pytest.mark.slow
@SEEDS
def test_reductions_and_scans_of_warps(seed):
    (result,) = run("warps", np.zeros(160, np.int32), source=WARPS, seed=seed)
    lanes = FIRST.reshape(4, 32)
    np.testing.assert_array_equal(result[:4], lanes.sum(1))
    np.testing.assert_array_equal(result[4:20], FIRST.reshape(16, 8).min(1))
    np.testing.assert_array_equal(result[32:], (np.cumsum(lanes, 1) - lanes).ravel())


@pytest.mark.slow
@SEEDS
def test_loads_sorts_exchanges_histograms_and_heads_of_blocks(seed):
    (result,) = run("arranged", np.zeros(16 + 3 * 512 + 128, np.int32), seed=seed)
    np.testing.assert_array_equal(result[:16], np.bincount(X & 15, minlength=16))
    striped, ordered, places, heads = np.split(result[16:], [512, 1024, 1536])
    np.testing.assert_array_equal(striped, X)
    np.testing.assert_array_equal(ordered, np.sort(X)[::-1])
    np.testing.assert_array_equal(places, np.argsort(-X, kind="stable"))
    hundreds = np.trunc(FIRST / 100).astype(int)
    np.testing.assert_array_equal(heads, np.r_[1, hundreds[1:] != hundreds[:-1]])


@pytest.mark.slow
def test_storage_that_is_used_again_without_a_barrier_is_a_race():
    with pytest.raises(KernelRaceError, match="reused"):
        run("reused", np.zeros(1, np.int32), source=REUSED)


@pytest.mark.slow
@SEEDS
def test_atomics_of_libcuxx_lose_nothing(seed):
    sums, real, wide, bits = launch(ATOMICS, "atomics", 2, 128, np.zeros(4, np.int32), np.zeros(1, np.float32),
                                    np.zeros(1), np.zeros(1, np.uint64), seed=seed)  # fmt: skip
    assert sums.tolist() == [255 * 128, 255, -255, 3 * 256]
    assert [real[0], wide[0], bits[0]] == [128, 64, 2**64 - 1]


@SEEDS
def test_what_a_release_store_publishes_an_acquire_load_sees(seed):
    flag, data, out = [np.zeros(size, np.int32) for size in (1, 1, 2)]
    assert launch(ATOMICS, "handed_over", 2, 64, flag, data, out, seed=seed)[2].tolist() == [42, 42]


@pytest.mark.slow
@SEEDS
def test_barriers_and_pipelines_of_libcuxx_wait(seed):
    settings = {"source": WAITING, "seed": seed, "checks": ""}
    np.testing.assert_array_equal(run("arrived", np.zeros(128, np.int32), **settings)[0], FIRST[::-1])
    blocks = X.reshape(4, 128)
    np.testing.assert_array_equal(run("piped", np.zeros((4, 128), np.int32), **settings)[0], blocks[:, ::-1])


@pytest.mark.slow
def test_values_of_libcuxx_are_those_of_cxx():
    result = launch(VALUES, "values", 1, 32, np.zeros((14, 32), np.int32), np.int32(32))[0]
    i = np.arange(32)
    bits = np.array([each.bit_count() for each in range(32)])
    width = np.array([(each + 1).bit_length() for each in range(32)])
    same = np.ones(32, int)
    expected = [i, 4 * same, i, 2 * same, np.where(i % 2, i, -1), 1 - i * i, 2 * i, bits, 32 - width, 32767 * same,
                np.float32(1).view(np.int32) * same, -(-i // 3), np.maximum(i, 5), i]  # fmt: skip
    np.testing.assert_array_equal(result, expected)


def test_warps_of_64_lanes_and_algorithms_of_the_host_are_refused():
    with pytest.raises(CapabilityError, match="sim_warp=32"):
        libraries.flags("#include <cub/cub.cuh>\n", kind="gcc", warp=64)
    with pytest.raises(CapabilityError, match="from the host"):
        libraries.flags("  # include <cub/device/device_scan.cuh>\n", kind="gcc", warp=32)
    assert libraries.flags("#include <cuda_fp16.h>\n// #include <cub/cub.cuh>\n", kind="gcc", warp=64) == ()


def test_a_missing_wheel_is_named(monkeypatch):
    monkeypatch.setattr(libraries, "_headers", lambda: None)
    with pytest.raises(CapabilityError, match="cuda-sim"):
        libraries.flags("#include <cuda/std/array>\n", kind="gcc", warp=32)


@pytest.mark.slow
def test_replacements_that_the_cache_lost_are_made_again(tmp_path):
    with accel.using(cache_dir=str(tmp_path)):
        folder = libraries._replacements(libraries._headers())
        lost = folder / "cub" / "util_ptx.cuh"
        text = lost.read_text()
        lost.unlink()
        assert libraries._replacements(libraries._headers()) == folder
        assert lost.read_text() == text


def test_ptx_becomes_calls_and_keeps_its_lines():
    text = """void f() {
      asm volatile("{ .reg .pred p; setp.ne.u32 p, %1, 0;"
                   " @!p not.b32 %0, %0; }" : "+r"(x) : "r"(y));
    }
    #define LOAD(how) \\
        asm("ld." #how ".u32 %0, [%1];" \\
            : "=r"(x) : "l"(at));
    """
    result = translated_ptx(text)
    assert result.count("\n") == text.count("\n")
    assert "setp_ne<uint32_t>(accel_sim_1, 0)" in result
    assert "if (!accel_sim_p)" in result
    assert "asm" not in result


def test_ptx_that_is_not_known_stops_a_launch():
    assert 'accel_sim_unsupported("the PTX instruction tcgen05.mma' in translated_ptx(
        'asm("tcgen05.mma %0;" :: "r"(x));'
    )

// Atomic operations on elements of 1 to 8 bytes.

struct Added {
    template <typename T>
    __device__ static T of(T old, T value, T) { return add(old, value); }
};
struct Least {
    template <typename T>
    __device__ static T of(T old, T value, T) { return least(old, value); }
};
struct Greatest {
    template <typename T>
    __device__ static T of(T old, T value, T) { return greatest(old, value); }
};
struct Exchanged {
    template <typename T>
    __device__ static T of(T, T value, T) { return value; }
};
struct Compared {
    template <typename T>
    __device__ static T of(T old, T value, T expected) { return old == expected ? value : old; }
};

template <unsigned BYTES>
struct ElementBits;
template <>
struct ElementBits<1> {
    typedef u8 type;
};
template <>
struct ElementBits<2> {
    typedef u16 type;
};
template <>
struct ElementBits<4> {
    typedef u32 type;
};
template <>
struct ElementBits<8> {
    typedef u64 type;
};

// Replaces the element once no other thread has changed the word around it; returns the old element.
template <typename Operation, typename T>
__device__ inline T atomic_update(T* at, T value, T expected) {
    typedef typename ElementBits<sizeof(T)>::type Element;
    typedef Bits<T> Word;
    const u64 address = reinterpret_cast<u64>(at);
    Word* const word = reinterpret_cast<Word*>(address & ~u64(sizeof(Word) - 1));
    const unsigned shift = 8 * (address & (sizeof(Word) - 1));
    const Word mask = Word(Element(-1)) << shift;
    for (Word seen = *const_cast<volatile Word*>(word);;) {
        const T old = bits_as<T>(Element(seen >> shift));
        const Word made = Word(bits_as<Element>(Operation::of(old, value, expected))) << shift;
        const Word found = atomicCAS(word, seen, (seen & ~mask) | made);
        if (found == seen) return old;
        seen = found;
    }
}

template <typename T>
__device__ inline T atomic_add(T* at, T value) { return atomic_update<Added>(at, value, value); }
template <typename T>
__device__ inline T atomic_min(T* at, T value) { return atomic_update<Least>(at, value, value); }
template <typename T>
__device__ inline T atomic_max(T* at, T value) { return atomic_update<Greatest>(at, value, value); }
template <typename T>
__device__ inline T atomic_exchange(T* at, T value) { return atomic_update<Exchanged>(at, value, value); }
template <typename T>
__device__ inline T atomic_compare(T* at, T expected, T value) { return atomic_update<Compared>(at, value, expected); }

// What the devices have instructions for.
__device__ inline f32 atomic_add(f32* at, f32 value) { return atomicAdd(at, value); }
__device__ inline f64 atomic_add(f64* at, f64 value) { return atomicAdd(at, value); }
__device__ inline u32 atomic_add(u32* at, u32 value) { return atomicAdd(at, value); }
__device__ inline u64 atomic_add(u64* at, u64 value) { return atomicAdd(at, value); }
__device__ inline i32 atomic_add(i32* at, i32 value) { return atomicAdd(reinterpret_cast<u32*>(at), u32(value)); }
__device__ inline i64 atomic_add(i64* at, i64 value) { return atomicAdd(reinterpret_cast<u64*>(at), u64(value)); }
__device__ inline i32 atomic_min(i32* at, i32 value) { return atomicMin(at, value); }
__device__ inline u32 atomic_min(u32* at, u32 value) { return atomicMin(at, value); }
__device__ inline i64 atomic_min(i64* at, i64 value) { return atomicMin(at, value); }
__device__ inline u64 atomic_min(u64* at, u64 value) { return atomicMin(at, value); }
__device__ inline i32 atomic_max(i32* at, i32 value) { return atomicMax(at, value); }
__device__ inline u32 atomic_max(u32* at, u32 value) { return atomicMax(at, value); }
__device__ inline i64 atomic_max(i64* at, i64 value) { return atomicMax(at, value); }
__device__ inline u64 atomic_max(u64* at, u64 value) { return atomicMax(at, value); }

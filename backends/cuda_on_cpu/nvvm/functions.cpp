// What compiled code of numba.cuda calls besides the runtime: compiled once, with the headers that CUDA text has.
#include "accel_sim/kernel.h"

#define EXPORT extern "C" __attribute__((visibility("default")))

EXPORT void accel_nvvm_step() { accel_sim::step(); }

// Of the values of a collective: the lanes of the mask whose value is not 0, and above them those that took part.
EXPORT uint64_t accel_nvvm_votes(const uint64_t* values, uint32_t mask) {
    const uint32_t lanes = mask & uint32_t(values[64]);
    uint32_t votes = 0;
    for (uint32_t rest = lanes; rest; rest &= rest - 1)
        if (values[__builtin_ctz(rest)]) votes |= rest & -rest;
    return uint64_t(lanes) << 32 | votes;
}

// The same for the lanes that have a value.
EXPORT uint64_t accel_nvvm_matches(const uint64_t* values, uint32_t mask, uint64_t value) {
    const uint32_t lanes = mask & uint32_t(values[64]);
    uint32_t equal = 0;
    for (uint32_t rest = lanes; rest; rest &= rest - 1)
        if (values[__builtin_ctz(rest)] == value) equal |= rest & -rest;
    return uint64_t(lanes) << 32 | equal;
}

namespace {

// Takes arguments from where a caller of vprintf put them, each at a multiple of its size.
struct Arguments {
    const char* at;

    template <typename T>
    T next() {
        at += -size_t(at) % sizeof(T);
        T value;
        __builtin_memcpy(&value, at, sizeof value);
        at += sizeof value;
        return value;
    }
};

constexpr unsigned LONGEST = 4096;

struct Text {
    char bytes[LONGEST];
    unsigned size;

    template <typename... T>
    void add(const char* format, T... values) {
        const int more = __builtin_snprintf(bytes + size, LONGEST - size, format, values...);
        if (more > 0) size = size + unsigned(more) < LONGEST ? size + unsigned(more) : LONGEST - 1;
    }
};

bool is_one_of(char character, const char* characters) {
    while (*characters && *characters != character) ++characters;
    return *characters;
}

// Adds one conversion, from its %, and returns where it ends.
const char* convert(const char* format, Arguments& arguments, Text& text) {
    char piece[32];
    unsigned length = 0, longs = 0;
    while (*format && length + 2 < sizeof piece) {
        const char character = *format++;
        piece[length++] = character;
        longs += character == 'l';
        if (length > 1 && (is_one_of(character, "diouxXcseEfFgGaAp%"))) break;
    }
    piece[length] = 0;
    const char kind = piece[length - 1];
    if (kind == '%') text.add("%s", "%");
    else if (kind == 's') text.add(piece, arguments.next<const char*>());
    else if (kind == 'p') text.add(piece, arguments.next<void*>());
    else if (is_one_of(kind, "eEfFgGaA")) text.add(piece, arguments.next<double>());
    else if (longs) text.add(piece, arguments.next<long long>());
    else text.add(piece, arguments.next<int>());
    return format;
}

}  // namespace

EXPORT int accel_nvvm_print(const char* format, const void* values) {
    Arguments arguments{(const char*)values};
    Text text;
    text.size = 0, text.bytes[0] = 0;
    unsigned converted = 0;
    while (*format) {
        if (*format == '%') format = convert(format, arguments, text), ++converted;
        else text.add("%c", *format++);
    }
    accel_sim_printf("%s", text.bytes);
    return int(converted);
}

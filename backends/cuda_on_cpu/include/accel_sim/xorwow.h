// The generator XORWOW (Marsaglia 2003), and jumps of it.
//
// Its five words are linear over GF(2). So n steps are a polynomial of one step: x^n modulo the characteristic polynomial.
#pragma once
#include <stdint.h>

#include "keywords.h"

namespace accel_sim {

struct Polynomial {
    uint64_t words[3];  // the coefficient of x^i is bit i

    bool at(unsigned i) const { return words[i / 64] >> i % 64 & 1; }
    void add(const Polynomial& other) {
        for (int i = 0; i < 3; ++i) words[i] ^= other.words[i];
    }
};

constexpr Polynomial CHARACTERISTIC = {{0x0861003000060001, 0x0f3c003500062121, 0x100000f0e}};  // degree 160
constexpr Polynomial ONE_STEP = {{2, 0, 0}};

__attribute__((no_sanitize("thread"), noinline, unused)) static Polynomial product(Polynomial a, Polynomial b) {
    Polynomial result = {};
    for (int i = 159; i >= 0; --i) {
        result = {{result.words[0] << 1, result.words[1] << 1 | result.words[0] >> 63,
                   result.words[2] << 1 | result.words[1] >> 63}};
        if (result.at(160)) result.add(CHARACTERISTIC);
        if (a.at(i)) result.add(b);
    }
    return result;
}

// power[i][d] is `base` to the power of d * 16^i, when a module is loaded.
struct Powers {
    Polynomial power[16][16];

    __attribute__((no_sanitize("thread"))) explicit Powers(Polynomial base) {
        for (auto& digit : power) {
            digit[0] = {{1, 0, 0}};
            for (int d = 1; d < 16; ++d) digit[d] = product(digit[d - 1], base);
            base = product(digit[15], base);
        }
    }
    __attribute__((no_sanitize("thread"), noinline)) Polynomial to(uint64_t exponent) const {
        Polynomial result = {{1, 0, 0}};
        for (int i = 0; exponent; ++i, exponent >>= 4)
            if (exponent & 15) result = product(result, power[i][exponent & 15]);
        return result;
    }
};

__attribute__((unused)) static Polynomial doubled(Polynomial value, int times) {
    while (times--) value = product(value, value);
    return value;
}

static const Powers XORWOW_STEPS(ONE_STEP);
static const Powers XORWOW_SEQUENCES(doubled(ONE_STEP, 67));  // sequences are 2^67 steps apart

struct XorwowWords {
    unsigned v[5];

    void step() {
        const unsigned t = v[0] ^ v[0] >> 2;
        const unsigned next = (v[4] ^ v[4] << 4) ^ (t ^ t << 1);
        for (int i = 0; i < 4; ++i) v[i] = v[i + 1];
        v[4] = next;
    }
};

// The words after the steps that a polynomial stands for.
__attribute__((no_sanitize("thread"), noinline, unused)) static XorwowWords jumped(XorwowWords from, Polynomial by) {
    XorwowWords result = {};
    for (int i = 0; i < 160; ++i, from.step())
        if (by.at(i))
            for (int word = 0; word < 5; ++word) result.v[word] ^= from.v[word];
    return result;
}

}  // namespace accel_sim

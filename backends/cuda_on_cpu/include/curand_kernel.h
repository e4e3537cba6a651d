// Random numbers inside of kernels, as in cuRAND: the generators XORWOW and Philox4x32-10.
//
// Integers and uniform numbers have the bits of cuRAND's. Normal numbers are those of the same formula; their last bits
// depend on the mathematical functions. Other generators and distributions are not here.
#pragma once
#include "accel_sim/philox.h"
#include "accel_sim/xorwow.h"


struct curandStateXORWOW {
    unsigned d, v[5];
    int boxmuller_flag, boxmuller_flag_double;
    float boxmuller_extra;
    double boxmuller_extra_double;
};
struct curandStatePhilox4_32_10 {
    uint4 ctr, output;
    uint2 key;
    unsigned STATE;
    int boxmuller_flag, boxmuller_flag_double;
    float boxmuller_extra;
    double boxmuller_extra_double;
};
typedef curandStateXORWOW curandStateXORWOW_t;
typedef curandStateXORWOW curandState_t;
typedef curandStateXORWOW curandState;
typedef curandStatePhilox4_32_10 curandStatePhilox4_32_10_t;

// --- XORWOW

inline void accel_sim_jump(curandStateXORWOW* state, const accel_sim::Polynomial& by) {
    accel_sim::XorwowWords words;
    for (int i = 0; i < 5; ++i) words.v[i] = state->v[i];
    words = accel_sim::jumped(words, by);
    for (int i = 0; i < 5; ++i) state->v[i] = words.v[i];
}
// A sequence is a multiple of 2^32 steps, which leaves d as it is.
inline void skipahead_sequence(unsigned long long count, curandStateXORWOW* state) {
    if (count) accel_sim_jump(state, accel_sim::XORWOW_SEQUENCES.to(count));
}
inline void skipahead(unsigned long long count, curandStateXORWOW* state) {
    if (!count) return;
    accel_sim_jump(state, accel_sim::XORWOW_STEPS.to(count));
    state->d += 362437 * unsigned(count);
}
inline void curand_init(unsigned long long seed, unsigned long long subsequence, unsigned long long offset,
                        curandStateXORWOW* state) {
    const unsigned a = 1099087573 * (unsigned(seed) ^ 0xaad26b49);
    const unsigned b = 2591861531 * (unsigned(seed >> 32) ^ 0xf7dcefdd);
    *state = {6615241 + a + b,
              {123456789 + a, 362436069 ^ a, 521288629 + b, 88675123 ^ b, 5783321 + a},
              0, 0, 0, 0};
    skipahead_sequence(subsequence, state);
    skipahead(offset, state);
}
inline unsigned curand(curandStateXORWOW* state) {
    const unsigned t = state->v[0] ^ state->v[0] >> 2;
    for (int i = 0; i < 4; ++i) state->v[i] = state->v[i + 1];
    state->v[4] = (state->v[4] ^ state->v[4] << 4) ^ (t ^ t << 1);
    state->d += 362437;
    return state->v[4] + state->d;
}

// --- Philox: the counter is a number of 128 bits; its upper half counts sequences

inline void accel_sim_refill(curandStatePhilox4_32_10* state) {
    state->output = accel_sim::philox(state->ctr, state->key);
}
inline void accel_sim_count(curandStatePhilox4_32_10* state, unsigned long long low, unsigned long long high) {
    typedef unsigned __int128 Wide;
    uint4& counter = state->ctr;
    Wide value = Wide(counter.w) << 96 | Wide(counter.z) << 64 | Wide(counter.y) << 32 | counter.x;
    value += Wide(high) << 64 | low;
    counter = {unsigned(value), unsigned(value >> 32), unsigned(value >> 64), unsigned(value >> 96)};
    accel_sim_refill(state);
}
inline void skipahead_sequence(unsigned long long count, curandStatePhilox4_32_10* state) {
    accel_sim_count(state, 0, count);
}
inline void skipahead(unsigned long long count, curandStatePhilox4_32_10* state) {
    const unsigned within = state->STATE + unsigned(count & 3);
    state->STATE = within & 3;
    accel_sim_count(state, count / 4 + within / 4, 0);
}
inline void curand_init(unsigned long long seed, unsigned long long subsequence, unsigned long long offset,
                        curandStatePhilox4_32_10* state) {
    *state = {};
    state->key = {unsigned(seed), unsigned(seed >> 32)};
    skipahead_sequence(subsequence, state);
    skipahead(offset, state);
}
inline unsigned curand(curandStatePhilox4_32_10* state) {
    const uint4 words = state->output;
    const unsigned which = state->STATE;
    state->STATE = (which + 1) & 3;
    if (which == 3) accel_sim_count(state, 1, 0);
    return which == 0 ? words.x : which == 1 ? words.y : which == 2 ? words.z : words.w;
}
inline uint4 curand4(curandStatePhilox4_32_10* state) {
    uint4 result;
    result.x = curand(state), result.y = curand(state), result.z = curand(state), result.w = curand(state);
    return result;
}

// --- distributions: uniform is in (0, 1]

namespace accel_sim {

constexpr float SCALE = 0x1p-32f, TWO_PI = 6.2831855f;

ACCEL_SIM_INLINE float uniform(unsigned bits) { return float(bits) * SCALE + SCALE / 2; }
ACCEL_SIM_INLINE double uniform(unsigned low, unsigned high) {
    return double(low ^ (unsigned long long)high << 21) * 0x1p-53 + 0x1p-54;
}
// Two normal numbers of two words (Box and Muller 1958).
ACCEL_SIM_INLINE float2 normal(unsigned a, unsigned b) {
    const float radius = __builtin_sqrtf(-2 * __builtin_logf(uniform(a)));
    const float angle = float(b) * (SCALE * TWO_PI) + SCALE * TWO_PI / 2;
    return {radius * __builtin_sinf(angle), radius * __builtin_cosf(angle)};
}
ACCEL_SIM_INLINE double2 normal(unsigned a, unsigned b, unsigned c, unsigned d) {
    const double radius = __builtin_sqrt(-2 * __builtin_log(uniform(a, b)));
    const double angle = uniform(c, d) * 2 * 3.14159265358979323846;
    return {radius * __builtin_sin(angle), radius * __builtin_cos(angle)};
}

}  // namespace accel_sim

template <typename State>
float curand_uniform(State* state) {
    return accel_sim::uniform(curand(state));
}
template <typename State>
double curand_uniform_double(State* state) {
    const unsigned low = curand(state);
    return accel_sim::uniform(low, curand(state));
}
// Of one word, as in cuRAND.
inline double curand_uniform_double(curandStatePhilox4_32_10* state) { return curand(state) * 0x1p-32 + 0x1p-32; }
template <typename State>
float2 curand_normal2(State* state) {
    const unsigned a = curand(state);
    return accel_sim::normal(a, curand(state));
}
template <typename State>
double2 curand_normal2_double(State* state) {
    const unsigned a = curand(state), b = curand(state), c = curand(state);
    return accel_sim::normal(a, b, c, curand(state));
}
// The second of two normal numbers is kept for the next call of a function of this kind.
template <typename State>
float accel_sim_normal(State* state, int kind) {
    const bool is_cached = state->boxmuller_flag == kind;
    state->boxmuller_flag = is_cached ? 0 : kind;
    if (is_cached) return state->boxmuller_extra;
    const float2 both = curand_normal2(state);
    state->boxmuller_extra = both.y;
    return both.x;
}
template <typename State>
double accel_sim_normal_double(State* state, int kind) {
    const bool is_cached = state->boxmuller_flag_double == kind;
    state->boxmuller_flag_double = is_cached ? 0 : kind;
    if (is_cached) return state->boxmuller_extra_double;
    const double2 both = curand_normal2_double(state);
    state->boxmuller_extra_double = both.y;
    return both.x;
}
template <typename State>
float curand_normal(State* state) {
    return accel_sim_normal(state, 1);
}
template <typename State>
double curand_normal_double(State* state) {
    return accel_sim_normal_double(state, 1);
}
template <typename State>
float curand_log_normal(State* state, float mean, float deviation) {
    return __builtin_expf(mean + deviation * accel_sim_normal(state, 2));
}
template <typename State>
double curand_log_normal_double(State* state, double mean, double deviation) {
    return __builtin_exp(mean + deviation * accel_sim_normal_double(state, 2));
}
template <typename State>
float4 curand_uniform4(State* state) {
    const uint4 bits = curand4(state);
    return {accel_sim::uniform(bits.x), accel_sim::uniform(bits.y), accel_sim::uniform(bits.z),
            accel_sim::uniform(bits.w)};
}
template <typename State>
double2 curand_uniform2_double(State* state) {
    const uint4 bits = curand4(state);
    return {accel_sim::uniform(bits.x, bits.y), accel_sim::uniform(bits.z, bits.w)};
}
template <typename State>
float4 curand_normal4(State* state) {
    const uint4 bits = curand4(state);
    const float2 a = accel_sim::normal(bits.x, bits.y), b = accel_sim::normal(bits.z, bits.w);
    return {a.x, a.y, b.x, b.y};
}

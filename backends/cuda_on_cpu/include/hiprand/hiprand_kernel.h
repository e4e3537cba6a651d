// Random numbers inside of kernels, with hipRAND's names. The numbers are those of curand_kernel.h: rocRAND's XORWOW
// starts from other constants.
#pragma once
#include "../curand_kernel.h"

typedef curandStateXORWOW hiprandStateXORWOW_t;
typedef curandStateXORWOW hiprandState_t;
typedef curandStateXORWOW hiprandState;
typedef curandStatePhilox4_32_10 hiprandStatePhilox4_32_10_t;

#define hiprand_init curand_init
#define hiprand curand
#define hiprand4 curand4
#define hiprand_uniform curand_uniform
#define hiprand_uniform4 curand_uniform4
#define hiprand_uniform_double curand_uniform_double
#define hiprand_uniform2_double curand_uniform2_double
#define hiprand_normal curand_normal
#define hiprand_normal2 curand_normal2
#define hiprand_normal4 curand_normal4
#define hiprand_normal_double curand_normal_double
#define hiprand_normal2_double curand_normal2_double
#define hiprand_log_normal curand_log_normal
#define hiprand_log_normal_double curand_log_normal_double

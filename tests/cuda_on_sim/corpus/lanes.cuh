// Warps of 32 or of 64 lanes.
#pragma once
#ifdef __HIP_PLATFORM_AMD__
typedef unsigned long long lanes;
#define WARP 64
#define EVERY 0xffffffffffffffffull
#define FIRST(mask) (__ffsll(mask) - 1)
#define COUNT(mask) __popcll(mask)
#else
typedef unsigned lanes;
#define WARP 32
#define EVERY 0xffffffffu
#define FIRST(mask) (__ffs(mask) - 1)
#define COUNT(mask) __popc(mask)
#endif

// Launches in host code. `kernel<<<grid, block, shared, stream>>>(arguments)` is translated to
// `ACCEL_SIM_LAUNCH((grid, block, shared, stream), kernel)(arguments)`.
//
// If `kernel` names one function, arguments are converted to its parameters, as in a call. If template arguments are
// deduced from the arguments, it is called with their values.
#pragma once
#include "entry.h"
#include "host_api.h"

extern "C" cudaError accel_sim_host_launch(const char* kernel, void (*entry)(void**), void** arguments,
                                           const uint32_t* sizes, uint32_t count, const accel_sim::Dim* grid,
                                           const accel_sim::Dim* block, uint64_t shared, void* stream,
                                           uint32_t cooperative);

namespace accel_sim_host {

struct Configuration {
    dim3 grid, block;
    size_t shared;
    cudaStream_t stream;
    Configuration(dim3 grid, dim3 block, size_t shared = 0, cudaStream_t stream = nullptr)
        : grid(grid), block(block), shared(shared), stream(stream) {}
};

template <typename T>
struct Value {
    using type = T;
};
template <typename T>
struct Value<T&> : Value<T> {};
template <typename T>
struct Value<T&&> : Value<T> {};
template <typename T>
struct Value<const T> : Value<T> {};

template <bool>
struct OnlyIf {};
template <>
struct OnlyIf<true> {
    using type = void;
};

// The entry of a kernel: the address of what is called comes first, its arguments follow. A stream that runs late keeps
// copies of them, so their sizes are needed. See entry.h for what is unseen.
template <typename F, typename... P>
struct Entry {
    static constexpr uint32_t sizes[] = {sizeof(F), sizeof(typename Value<P>::type)...};
    template <unsigned... I>
    static ACCEL_SIM_INLINE void expand(F* function, void** all, accel_sim::Indices<I...>) {
        (*function)(*(typename Value<P>::type*)all[I + 1]...);
    }
    ACCEL_SIM_UNSEEN static void call(void** all) {
        F* function = (F*)all[0];
        ACCEL_SIM_OPAQUE(function);
        expand(function, all, typename accel_sim::Counted<sizeof...(P)>::type());
    }
};

template <typename F, typename... P>
constexpr uint32_t Entry<F, P...>::sizes[];

template <typename E, unsigned N>
cudaError_t start(const Configuration& at, const char* kernel, void* (&arguments)[N], bool cooperative) {
    const accel_sim::Dim grid = {at.grid.x, at.grid.y, at.grid.z}, block = {at.block.x, at.block.y, at.block.z};
    return accel_sim_host_launch(kernel, E::call, arguments, E::sizes, N, &grid, &block, at.shared, at.stream, cooperative);
}

template <typename F, typename... P>
cudaError_t start_with(const Configuration& at, const char* kernel, F& function, P&... values) {
    void* all[] = {(void*)&function, (void*)&values...};
    return start<Entry<F, P...>>(at, kernel, all, false);
}

// Kernels whose arguments are deduced.
template <typename Call>
struct Deduced {
    Configuration at;
    const char* kernel;
    Call call;
    template <typename... A>
    void operator()(A... values) { start_with(at, kernel, call, values...); }
};

// One function. With fewer arguments, it has default arguments.
template <typename Call, typename... P>
struct Exact {
    Configuration at;
    const char* kernel;
    Call call;
    void (*function)(P...);
    void operator()(P... values) { start_with(at, kernel, function, values...); }
    template <typename... A>
    typename OnlyIf<(sizeof...(A) < sizeof...(P))>::type operator()(A... values) {
        start_with(at, kernel, call, values...);
    }
};

struct Tag {};

template <typename R, typename... P>
auto exact(Tag, R (*function)(P...)) -> R (*)(P...) { return function; }

template <typename Call, typename... P>
Exact<Call, P...> exact_launch(const Configuration& at, const char* kernel, Call call, void (*function)(P...)) {
    return {at, kernel, call, function};
}

template <typename Find, typename Call>
auto launcher(Configuration at, const char* kernel, Find find, Call call, int)
    -> decltype(exact_launch(at, kernel, call, find(Tag()))) {
    return exact_launch(at, kernel, call, find(Tag()));
}

// Chosen if the other is not possible.
template <typename Find, typename Call>
Deduced<Call> launcher(Configuration at, const char* kernel, Find, Call call, ...) {
    return {at, kernel, call};
}

}  // namespace accel_sim_host

#define ACCEL_SIM_LAUNCH(configuration, ...)                                                       \
    accel_sim_host::launcher(                                                                      \
        accel_sim_host::Configuration configuration, #__VA_ARGS__,                                 \
        [&](auto tag) -> decltype(accel_sim_host::exact(tag, __VA_ARGS__)) {                       \
            return accel_sim_host::exact(tag, __VA_ARGS__);                                        \
        },                                                                                         \
        [=](auto... values) { __VA_ARGS__(values...); }, 0)

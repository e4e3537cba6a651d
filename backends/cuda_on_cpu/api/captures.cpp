// What may be called while streams are captured into graphs, by the rules of CUDA.
#include "schedule.h"

namespace accel_sim {

namespace {

Capture* captures;  // that have not ended
uint64_t last_number;
__thread cudaStreamCaptureMode interaction = cudaStreamCaptureModeGlobal;

// Whether a capture forbids this thread what may wait for work.
bool forbids(const Capture& capture) {
    const bool own = pthread_equal(capture.thread, pthread_self());
    if (interaction == cudaStreamCaptureModeRelaxed) return false;
    if (own) return capture.mode != cudaStreamCaptureModeRelaxed;
    return interaction == cudaStreamCaptureModeGlobal && capture.mode == cudaStreamCaptureModeGlobal;
}

template <typename Which>
bool spoil(Which which) {
    bool any = false;
    for (Capture* each = captures; each; each = each->next)
        if (which(*each)) each->spoiled = any = true;
    return any;
}

}  // namespace

Capture* begin_capture(Stream& stream, cudaStreamCaptureMode mode) {
    Capture* capture = (Capture*)zeros(sizeof(Capture));
    *capture = {captures, ++last_number, mode, pthread_self(), false, nullptr, nullptr};
    capture->end = &capture->begin;
    return stream.capture = captures = capture;
}

Work* end_capture(Capture* capture) {
    Capture** place = &captures;
    while (*place != capture) place = &(*place)->next;
    *place = capture->next;
    Work* work = capture->begin;
    free(capture);
    return work;
}

Capture* capture_of(uint64_t number) {
    for (Capture* each = captures; each; each = each->next)
        if (each->number == number) return each;
    return nullptr;
}

cudaError_t capture_work(Capture& capture, Work* work) {
    if (capture.spoiled) return drop(work), failed(cudaErrorStreamCaptureInvalidated);
    if (!work->run) return drop(work), cudaSuccess;
    *capture.end = work;
    capture.end = &work->next;
    return cudaSuccess;
}

cudaError_t refuse_unsafe() { return spoil(forbids) ? failed(cudaErrorStreamCaptureUnsupported) : cudaSuccess; }

cudaError_t refuse_of_device(int device) {
    const auto of_device = [=](const Capture& capture) {
        return any_stream([&](const Stream& each) { return each.capture == &capture && each.device == device; });
    };
    return spoil(of_device) ? failed(cudaErrorStreamCaptureUnsupported) : refuse_unsafe();
}

cudaError_t refuse_implicit(int device) {
    const auto blocking = [=](const Capture& capture) {
        return any_stream([&](const Stream& each) {
            return each.capture == &capture && each.device == device && each.blocking;
        });
    };
    return spoil(blocking) ? failed(cudaErrorStreamCaptureImplicit) : cudaSuccess;
}

cudaError_t refuse_question(Capture& capture) {
    capture.spoiled = true;
    return failed(cudaErrorStreamCaptureUnsupported);
}

}  // namespace accel_sim

using namespace accel_sim;

cudaError_t cudaThreadExchangeStreamCaptureMode(cudaStreamCaptureMode* mode) {
    ACCEL_SIM_CALL(NOTHING);
    const cudaStreamCaptureMode before = interaction;
    interaction = *mode, *mode = before;
    return cudaSuccess;
}

#if ACCEL_SIM_OF_NVIDIA
CUresult cuThreadExchangeStreamCaptureMode(CUstreamCaptureMode* mode) {
    return CUresult(cudaThreadExchangeStreamCaptureMode((cudaStreamCaptureMode*)mode));
}
#endif

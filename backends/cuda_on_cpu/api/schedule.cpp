// How streams run: each in order, and in any order among each other.
#include "schedule.h"

#include <stdio.h>
#include <string.h>

namespace accel_sim {

namespace {

constexpr uintptr_t LEGACY = 1, PER_THREAD = 2, FIRST_HANDLE = 0x7000, NEXT_HANDLE = 0x10;
constexpr unsigned MOST_HANDLES = 256;  // of destroyed streams, that are given again

uint64_t random_state = 1;
Stream* streams;  // all that may have work
Stream* legacy[MOST_DEVICES];
__thread Stream* of_thread[MOST_DEVICES];
__thread bool calls_host;
uintptr_t next_handle = FIRST_HANDLE, free_handles[MOST_HANDLES];
unsigned free_count;
pthread_cond_t moved = PTHREAD_COND_INITIALIZER;  // a function of the host returned

Stream* add_stream(uintptr_t handle, bool blocking, int priority) {
    Stream* stream = (Stream*)zeros(sizeof(Stream));
    stream->handle = handle, stream->device = context().device, stream->blocking = blocking, stream->priority = priority;
    stream->last = &stream->first;
    stream->next = streams;
    return streams = stream;
}

Stream* default_stream(Stream*(&all)[MOST_DEVICES], uintptr_t handle) {
    Stream*& stream = all[context().device];
    return stream ? stream : stream = add_stream(handle, true, 0);
}

Mark* mark_of(Work& work, unsigned users) {
    work.reaches = (Mark*)zeros(sizeof(Mark));
    work.reaches->users = users + 1;
    return work.reaches;
}

void add_wait(Work& work, Mark* mark) {
    Wait* wait = (Wait*)zeros(sizeof(Wait));
    *wait = {work.waits, mark};
    work.waits = wait;
}

bool ready(const Stream& stream) {
    if (!stream.first || stream.running) return false;
    for (const Wait* wait = stream.first->waits; wait; wait = wait->next)
        if (!wait->mark->reached) return false;
    return true;
}

void append(Stream& stream, Work* work) {
    *stream.last = work;
    stream.last = &work->next;
}

void reach(const Work& work) {
    if (work.reaches) work.reaches->reached = true, work.reaches->time = now();
}

// The work stays the first of its stream until it has run.
void step(Stream& stream) {
    Work* work = stream.first;
    stream.running = true;
    if (work->run) work->run(*work);
    stream.running = false;
    stream.first = work->next;
    if (!stream.first) stream.last = &stream.first;
    reach(*work);
    drop(work);
    pthread_cond_broadcast(&moved);
}

bool step_any() {
    unsigned able = 0;
    for (const Stream* each = streams; each; each = each->next) able += ready(*each);
    if (!able) return false;
    unsigned chosen = draw_below(random_state, able);
    for (Stream* each = streams;; each = each->next)
        if (ready(*each) && !chosen--) return step(*each), true;
}

bool any_runs() {
    for (const Stream* each = streams; each; each = each->next)
        if (each->running) return true;
    return false;
}

void forget_destroyed() {
    for (Stream** each = &streams; *each;) {
        Stream* stream = *each;
        if (stream->handle || stream->first) each = &stream->next;
        else *each = stream->next, free(stream);
    }
}

template <typename Over>
void run_until(Over over) {
    while (!over()) {
        if (step_any()) continue;
        if (any_runs()) pthread_cond_wait(&moved, &machine_lock);
        else fprintf(stderr, "accel: something is waited for, and nothing can run\n"), abort();
    }
    forget_destroyed();
}

// The legacy default stream of a device and its blocking streams wait for each other.
void add_implied_waits(const Stream& stream, Work& work) {
    if (!stream.blocking) return;
    const bool is_legacy = stream.handle == LEGACY;
    for (Stream* other = streams; other; other = other->next) {
        const bool ordered = is_legacy ? other->blocking : other->handle == LEGACY;
        if (other == &stream || !ordered || other->device != stream.device || !other->first) continue;
        Work* marked = (Work*)zeros(sizeof(Work));
        add_wait(work, mark_of(*marked, 1));
        append(*other, marked);
    }
}

}  // namespace

pthread_mutex_t machine_lock = PTHREAD_MUTEX_INITIALIZER;

void* zeros(size_t size) {
    void* memory = calloc(1, size);
    if (!memory) fprintf(stderr, "accel: there is no memory left\n"), abort();
    return memory;
}

void let_go(Mark* mark) {
    if (mark && !--mark->users) free(mark);
}

void drop(Work* work) {
    if (work->end) work->end(*work);
    while (Wait* wait = work->waits) {
        work->waits = wait->next;
        let_go(wait->mark);
        free(wait);
    }
    let_go(work->reaches);
    free(work);
}

Stream* create_stream(bool blocking, int priority) {
    const bool again = settings.reuses_handles && free_count;
    return add_stream(again ? free_handles[--free_count] : next_handle += NEXT_HANDLE, blocking, priority);
}

void destroy_stream(Stream& stream) {
    if (free_count < MOST_HANDLES) free_handles[free_count++] = stream.handle;
    stream.handle = 0;
    forget_destroyed();
}

Stream* stream_of(const void* pointer) {
    const uintptr_t handle = uintptr_t(pointer);
    if (handle == PER_THREAD) return default_stream(of_thread, PER_THREAD);
    if (handle <= LEGACY) return default_stream(legacy, LEGACY);
    for (Stream* each = streams; each; each = each->next)
        if (each->handle == handle) return each;
    return nullptr;
}

Stream* stream_for(const Call& call, const void* handle) {
    Stream* stream = stream_of(handle);
    if (!stream) misused(cudaErrorInvalidResourceHandle, call, "there is no stream %p; it was destroyed, or never created", handle);
    return stream;
}

Stream* all_streams() { return streams; }

cudaError_t submit(Stream& stream, Work* work) {
    if (stream.capture) return capture_work(*stream.capture, work);
    if (stream.handle == LEGACY)
        if (const cudaError_t error = refuse_implicit(stream.device)) return drop(work), error;
    add_implied_waits(stream, *work);
    append(stream, work);
    if (!host.late) finish(stream);
    return cudaSuccess;
}

cudaError_t submit_wait(Stream& stream, const Call& call, Mark* mark) {
    if (mark->captured && !stream.capture) stream.capture = capture_of(mark->captured);  // it goes on in this stream, too
    Work* work = work_of<Work>(call, nullptr);
    ++mark->users;
    add_wait(*work, mark);
    return submit(stream, work);
}

Mark* record(Stream& stream, const Call& call) {
    Work* work = work_of<Work>(call, nullptr);
    Mark* mark = mark_of(*work, 1);
    mark->captured = stream.capture ? stream.capture->number : 0;
    submit(stream, work);
    return mark;
}

bool idle(const Stream& stream) { return !stream.first; }

void finish(Stream& stream) {
    // A stream that was destroyed meanwhile is gone once its work is done.
    Work* last = stream.first ? (Work*)((char*)stream.last - offsetof(Work, next)) : nullptr;
    if (!last) return;
    if (!last->reaches) mark_of(*last, 0);
    finish_mark(last->reaches);
}

void finish_mark(Mark* mark) {
    ++mark->users;
    run_until([=] { return mark->reached; });
    let_go(mark);
}

void finish_device(int device) {
    run_until([=] {
        for (const Stream* each = streams; each; each = each->next)
            if (each->device == device && each->first) return false;
        return true;
    });
}

void finish_all() {
    for (int device = 0; device < settings.devices; ++device) finish_device(device);
}

void poll() {
    if (host.late && !settings.stalled && draw(random_state) & 1) step_any();
}

void drop_work(int device) {
    for (Stream* each = streams; each; each = each->next) {
        if (each->device != device) continue;
        Work** rest = each->running ? &each->first->next : &each->first;
        while (Work* work = *rest) {
            *rest = work->next;
            reach(*work);
            drop(work);
        }
        each->last = rest;
    }
}

void seed_order(uint64_t seed) { random_state = mixed(seed) | 1; }

void call_host(void (*function)(void*), void* data) {
    pthread_mutex_unlock(&machine_lock);
    calls_host = true;
    function(data);
    calls_host = false;
    pthread_mutex_lock(&machine_lock);
}

bool in_host_function() { return calls_host; }

}  // namespace accel_sim

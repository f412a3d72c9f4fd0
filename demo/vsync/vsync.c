/*
 * vsync: makes a swap of buffers wait for the next tick of a clock, as it waits for the refresh of a
 * display.
 *
 * A software renderer under Xvfb has no refresh, so a program there runs at hundreds of frames a second
 * and never blocks in the swap: the very thing a frame loop must be measured against is missing. Preload
 * this library and eglSwapBuffers and glXSwapBuffers return only at the next multiple of 1/VSYNC_HZ
 * seconds (60 by default), the calling thread asleep in a system call meanwhile, which is what a driver
 * does to it.
 *
 *     cc -O2 -shared -fPIC -o libvsync.so vsync.c -ldl
 *     LD_PRELOAD=./libvsync.so VSYNC_HZ=60 ./demo
 *
 * How it gets in between: programs of today do not link against GL, they ask dlsym, eglGetProcAddress or
 * glXGetProcAddress for it. So this library interposes dlsym, and hands out its own swap in place of the
 * real one; for a program that does link against GL the two swaps are exported under their own names as
 * well.
 *
 * How it finds the real dlsym, which it has hidden: dlvsym is not hidden, but wants a version, and that
 * differs by architecture and by libc (GLIBC_2.2.5 on x86-64, 2.17 on arm64, 2.34 for both in newer
 * builds). The list below is tried in order, so one source serves them all. A libc without
 * dlvsym (musl) is refused when this is compiled; the demo then paces itself. The swap interval is honoured:
 * 0 means do not wait.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#ifndef __GLIBC__
/* Without dlvsym there is no way to the dlsym that this one hides; and as the engine asks dlsym for its swap,
 * exporting the swap under its own name would change nothing. */
#error "vsync needs glibc: it finds the real dlsym by dlvsym, which this C library does not have"
#endif

#define EXPORT __attribute__((visibility("default")))

typedef void *(*dlsym_fn)(void *, const char *);
typedef void *(*getproc_fn)(const char *);
typedef unsigned (*egl_swap_fn)(void *, void *);
typedef unsigned (*egl_interval_fn)(void *, int);
typedef void (*glx_swap_fn)(void *, unsigned long);
typedef void (*glx_interval_fn)(void *, unsigned long, int);

static _Atomic(dlsym_fn) next_dlsym;
static _Atomic(getproc_fn) next_egl_getproc, next_glx_getproc;
static _Atomic(egl_swap_fn) next_egl_swap;
static _Atomic(egl_interval_fn) next_egl_interval;
static _Atomic(glx_swap_fn) next_glx_swap;
static _Atomic(glx_interval_fn) next_glx_interval;
static atomic_int interval = 1;

static int64_t monotonic_ns(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * INT64_C(1000000000) + t.tv_nsec;
}

/* The ticks are multiples of the period on the monotonic clock itself: no state, so no drift and no start-up
 * order, and two programs under one shim tick together, as two windows on one display do. */
static void wait_for_tick(void) {
    static _Atomic int64_t period;
    int64_t p = period;
    if (p == 0) {
        const char *hz = getenv("VSYNC_HZ");
        double f = hz ? atof(hz) : 60;
        if (!(f >= 1 && f <= 10000)) f = 60;
        period = p = (int64_t)(1e9 / f + 0.5);
    }
    int every = interval;
    if (every <= 0) return;
    p *= every;
    int64_t tick = (monotonic_ns() / p + 1) * p;
    struct timespec t = {tick / INT64_C(1000000000), tick % INT64_C(1000000000)};
    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL) == EINTR) {
    }
}

static void *real_dlsym(void *handle, const char *name) {
    dlsym_fn f = next_dlsym;
    if (!f) {
        static const char *const versions[] = {"GLIBC_2.34", "GLIBC_2.2.5", "GLIBC_2.17", "GLIBC_2.27",
                                               "GLIBC_2.36", "GLIBC_2.4",   "GLIBC_2.0",  "GLIBC_2.1"};
        for (size_t i = 0; !f && i < sizeof versions / sizeof *versions; i++)
            f = (dlsym_fn)dlvsym(RTLD_NEXT, "dlsym", versions[i]);
        if (!f) abort(); /* a libc that this file does not know: better loud than unpaced */
        next_dlsym = f;
    }
    return f(handle, name);
}

static unsigned paced_egl_swap(void *display, void *surface) {
    egl_swap_fn f = next_egl_swap;
    unsigned ok = f(display, surface);
    wait_for_tick();
    return ok;
}

static unsigned paced_egl_interval(void *display, int n) {
    egl_interval_fn f = next_egl_interval;
    interval = n;
    return f(display, n);
}

static void paced_glx_swap(void *display, unsigned long drawable) {
    glx_swap_fn f = next_glx_swap;
    f(display, drawable);
    wait_for_tick();
}

static void paced_glx_interval(void *display, unsigned long drawable, int n) {
    glx_interval_fn f = next_glx_interval;
    interval = n;
    f(display, drawable, n);
}

static void *paced_egl_getproc(const char *name);
static void *paced_glx_getproc(const char *name);

/* swapped keeps the real function p of that name and returns ours; any other name goes through untouched. */
static void *swapped(const char *name, void *p) {
    if (!p || !name) return p;
    if (!strcmp(name, "eglSwapBuffers")) {
        next_egl_swap = (egl_swap_fn)p;
        return (void *)paced_egl_swap;
    }
    if (!strcmp(name, "eglSwapInterval")) {
        next_egl_interval = (egl_interval_fn)p;
        return (void *)paced_egl_interval;
    }
    if (!strcmp(name, "glXSwapBuffers")) {
        next_glx_swap = (glx_swap_fn)p;
        return (void *)paced_glx_swap;
    }
    if (!strcmp(name, "glXSwapIntervalEXT")) {
        next_glx_interval = (glx_interval_fn)p;
        return (void *)paced_glx_interval;
    }
    if (!strcmp(name, "eglGetProcAddress")) {
        next_egl_getproc = (getproc_fn)p;
        return (void *)paced_egl_getproc;
    }
    if (!strcmp(name, "glXGetProcAddress") || !strcmp(name, "glXGetProcAddressARB")) {
        next_glx_getproc = (getproc_fn)p;
        return (void *)paced_glx_getproc;
    }
    return p;
}

static void *paced_egl_getproc(const char *name) {
    getproc_fn f = next_egl_getproc;
    return swapped(name, f(name));
}

static void *paced_glx_getproc(const char *name) {
    getproc_fn f = next_glx_getproc;
    return swapped(name, f(name));
}

EXPORT void *dlsym(void *handle, const char *name) {
    void *p = real_dlsym(handle, name);
    /* Asked by someone's RTLD_NEXT chain the answer may already be one of ours. */
    if (p == (void *)paced_egl_swap || p == (void *)paced_glx_swap) return p;
    return swapped(name, p);
}

EXPORT unsigned eglSwapBuffers(void *display, void *surface) {
    if (!next_egl_swap) next_egl_swap = (egl_swap_fn)real_dlsym(RTLD_NEXT, "eglSwapBuffers");
    return next_egl_swap ? paced_egl_swap(display, surface) : 0;
}

EXPORT void glXSwapBuffers(void *display, unsigned long drawable) {
    if (!next_glx_swap) next_glx_swap = (glx_swap_fn)real_dlsym(RTLD_NEXT, "glXSwapBuffers");
    if (next_glx_swap) paced_glx_swap(display, drawable);
}

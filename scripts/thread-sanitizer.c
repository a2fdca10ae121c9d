// Reports the lock operations of Synchronization.Mutex to the thread sanitizer.
//
// An uncontended lock is one atomic operation in our own code, which the sanitizer sees. A contended one is acquired and
// released in the standard library, which is built without the sanitizer: it does not see that the release precedes the
// next acquisition, and reports a race "inside" withLock. This library intercepts those two functions, calls them, and
// reports them to the sanitizer. A race outside of the lock is reported as before.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdint.h>

// Swift's calling convention: the object is passed in a register of its own.
#define SWIFT __attribute__((swiftcall))
#define SELF __attribute__((swift_context)) void *

#define LOCK "$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF"
#define UNLOCK "$s15Synchronization12_MutexHandleV11_unlockSlowyyF"

// Only a program that was built with the sanitizer has these functions; the tests start other programs, too.
__attribute__((weak)) void __tsan_acquire(void *address);
__attribute__((weak)) void __tsan_release(void *address);

typedef SWIFT void Lock(uint32_t thread, SELF mutex);
typedef SWIFT void Unlock(SELF mutex);

SWIFT void lock(uint32_t thread, SELF mutex) __asm__(LOCK);
SWIFT void unlock(SELF mutex) __asm__(UNLOCK);

SWIFT void lock(uint32_t thread, SELF mutex) {
    ((Lock *)dlsym(RTLD_NEXT, LOCK))(thread, mutex);
    if (__tsan_acquire) __tsan_acquire(mutex);
}

SWIFT void unlock(SELF mutex) {
    if (__tsan_release) __tsan_release(mutex);
    ((Unlock *)dlsym(RTLD_NEXT, UNLOCK))(mutex);
}

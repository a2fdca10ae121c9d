// What the thread sanitizer has to be told of Synchronization.Mutex.
//
// A lock that nobody else wants is one atomic operation in our own code, which the sanitizer sees. One that somebody wants
// is taken and given back in the standard library, which is built without it: it does not see that the one orders the other,
// and reports a race "inside" withLock. This library stands before those two functions, calls them, and says so. A race
// outside of the lock is reported as ever.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdint.h>

// Swift's own way of calling: the object comes in a register of its own.
#define SWIFT __attribute__((swiftcall))
#define SELF __attribute__((swift_context)) void *

#define LOCK "$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF"
#define UNLOCK "$s15Synchronization12_MutexHandleV11_unlockSlowyyF"

// Only a program that was built with the sanitizer has them; the tests start others, too.
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

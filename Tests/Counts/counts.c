// Counts the calls of a program to its libraries: SQL statements, hashes, ciphers, signatures, syncs and bytes written.
//
// A library that is loaded before the others (LD_PRELOAD) has the functions that it counts, and calls the real ones. The counters are in the
// file that KAIRAN_COUNTS names, as an array of 64-bit numbers in the order of `enum`, behind which stand the texts of the SQL statements with
// the number of their executions. Another process reads them while the program runs.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { STATEMENTS, HASHES, SEALS, OPENINGS, SIGNATURES, VERIFICATIONS, SYNCS, WRITES, WRITTEN_BYTES, COUNTER_COUNT };

#define TEXT_BYTES 248
#define TEXT_COUNT 1024

struct shared {
    uint64_t counters[16];
    struct {
        char text[TEXT_BYTES];
        uint64_t count;
    } statements[TEXT_COUNT];
};

static struct shared *shared;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

__attribute__((constructor)) static void open_counts(void) {
    const char *path = getenv("KAIRAN_COUNTS");
    if (path == NULL) return;
    int file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (file < 0) return;
    if (ftruncate(file, sizeof(struct shared)) == 0) {
        void *mapped = mmap(NULL, sizeof(struct shared), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
        if (mapped != MAP_FAILED) shared = mapped;
    }
    close(file);
}

static void add(int counter, uint64_t amount) {
    if (shared != NULL) __atomic_fetch_add(&shared->counters[counter], amount, __ATOMIC_RELAXED);
}

// The slot of a text, which is found by its hash; a text that finds no free slot is counted in the total alone.
static void add_statement(const char *text) {
    if (shared == NULL) return;
    add(STATEMENTS, 1);
    if (text == NULL) return;
    char key[TEXT_BYTES] = {0};
    size_t length = 0;
    uint32_t hash = 2166136261u;
    for (const char *next = text; *next != 0 && length < TEXT_BYTES - 1; next++) {
        char character = *next == '\n' ? ' ' : *next;
        if (character == ' ' && length > 0 && key[length - 1] == ' ') continue;
        key[length++] = character;
        hash = (hash ^ (unsigned char)character) * 16777619u;
    }
    pthread_mutex_lock(&lock);
    for (int probe = 0; probe < TEXT_COUNT; probe++) {
        int slot = (hash + probe) % TEXT_COUNT;
        if (shared->statements[slot].text[0] == 0) memcpy(shared->statements[slot].text, key, TEXT_BYTES);
        if (memcmp(shared->statements[slot].text, key, TEXT_BYTES) != 0) continue;
        shared->statements[slot].count++;
        break;
    }
    pthread_mutex_unlock(&lock);
}

// The real function behind the one that is being called. Two threads that find it at the same time find the same one.
#define REAL(name) \
    static __typeof__(&name) real; \
    if (real == NULL) real = (__typeof__(&name))dlsym(RTLD_NEXT, #name)

typedef unsigned char byte;
typedef unsigned long long length;
typedef struct sqlite3_stmt sqlite3_stmt;
const char *sqlite3_sql(sqlite3_stmt *statement);
int sqlite3_reset(sqlite3_stmt *statement);

// Each execution of a statement ends with a reset.
int sqlite3_reset(sqlite3_stmt *statement) {
    REAL(sqlite3_reset);
    add_statement(statement == NULL ? NULL : sqlite3_sql(statement));
    return real(statement);
}

int crypto_generichash(byte *out, size_t out_length, const byte *in, length in_length, const byte *key, size_t key_length);
int crypto_generichash(byte *out, size_t out_length, const byte *in, length in_length, const byte *key, size_t key_length) {
    REAL(crypto_generichash);
    add(HASHES, 1);
    return real(out, out_length, in, in_length, key, key_length);
}

int crypto_generichash_final(void *state, byte *out, size_t out_length);
int crypto_generichash_final(void *state, byte *out, size_t out_length) {
    REAL(crypto_generichash_final);
    add(HASHES, 1);
    return real(state, out, out_length);
}

// libsodium's two ciphers have the same parameters.
#define SEAL(name) \
    int name(byte *out, length *out_length, const byte *in, length in_length, const byte *data, length data_length, const byte *secret, \
             const byte *nonce, const byte *key); \
    int name(byte *out, length *out_length, const byte *in, length in_length, const byte *data, length data_length, const byte *secret, \
             const byte *nonce, const byte *key) { \
        REAL(name); \
        add(SEALS, 1); \
        return real(out, out_length, in, in_length, data, data_length, secret, nonce, key); \
    }

#define OPEN(name) \
    int name(byte *out, length *out_length, byte *secret, const byte *in, length in_length, const byte *data, length data_length, \
             const byte *nonce, const byte *key); \
    int name(byte *out, length *out_length, byte *secret, const byte *in, length in_length, const byte *data, length data_length, \
             const byte *nonce, const byte *key) { \
        REAL(name); \
        add(OPENINGS, 1); \
        return real(out, out_length, secret, in, in_length, data, data_length, nonce, key); \
    }

SEAL(crypto_aead_chacha20poly1305_ietf_encrypt)
SEAL(crypto_aead_xchacha20poly1305_ietf_encrypt)
OPEN(crypto_aead_chacha20poly1305_ietf_decrypt)
OPEN(crypto_aead_xchacha20poly1305_ietf_decrypt)

int crypto_sign_detached(byte *signature, length *signature_length, const byte *message, length message_length, const byte *key);
int crypto_sign_detached(byte *signature, length *signature_length, const byte *message, length message_length, const byte *key) {
    REAL(crypto_sign_detached);
    add(SIGNATURES, 1);
    return real(signature, signature_length, message, message_length, key);
}

int crypto_sign_verify_detached(const byte *signature, const byte *message, length message_length, const byte *key);
int crypto_sign_verify_detached(const byte *signature, const byte *message, length message_length, const byte *key) {
    REAL(crypto_sign_verify_detached);
    add(VERIFICATIONS, 1);
    return real(signature, message, message_length, key);
}

int fsync(int file) {
    REAL(fsync);
    add(SYNCS, 1);
    return real(file);
}

int fdatasync(int file) {
    REAL(fdatasync);
    add(SYNCS, 1);
    return real(file);
}

ssize_t pwrite(int file, const void *bytes, size_t count, off_t offset) {
    REAL(pwrite);
    add(WRITES, 1);
    add(WRITTEN_BYTES, count);
    return real(file, bytes, count, offset);
}

ssize_t pwrite64(int file, const void *bytes, size_t count, off64_t offset) {
    REAL(pwrite64);
    add(WRITES, 1);
    add(WRITTEN_BYTES, count);
    return real(file, bytes, count, offset);
}

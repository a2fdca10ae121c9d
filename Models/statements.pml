/*
 * The effective part of a removed device's log: the statements of its account's devices about it.
 *
 * One data log, of a device V that is removed and continues to write. A and B are honest devices of the same account, W is a liar, and P is
 * an honest participant. A, B and P hold some part of the log. A replica that does not know of the removal accepts operations from V; one
 * that does accepts them only from the others, up to the effective size. A makes the removal, and is its witness unless ANYBODY is set. W
 * states any size of V's log at any time, and may be removed; so may A, by B. Each of the three removals, and each statement, reaches each
 * replica at some time, in any order.
 *
 *   BOUND    where W is removed, or the witness has made a statement, no more is effective than an honest device has stated as its size
 *            (with ANYBODY, where an active one has)
 *   KEEP     the part stated by the witness, or by B when A is removed, is effective where it is held
 *   GAP      where an honest statement is known, the log has an end for ever, whichever device is removed later
 *   SETTLE   when nothing more can happen, the log has the same end everywhere, and where W is removed an honest device has stated it
 *
 * Mutants (each must be found): M_REMOVED_SPEAKS  M_FIRST  M_DROPPED  M_SILENT  M_FURTHEST; with ANYBODY  M_STRICTEST
 */

#ifndef N
#define N 1
#endif

#define A 0
#define B 1
#define P 2
#define W 3
#define R 3
#define NONE 15

#define MAX(a, b) ((a) > (b) -> (a) : (b))
#define MIN(a, b) ((a) < (b) -> (a) : (b))

byte written = 0;                  /* V's log */
byte hold[R];                      /* the size that a replica holds */
bool outV = false, outA = false, outW = false;
bool knowsV[R], knowsA[R], knowsW[R];
bool said[4];                      /* the statements of A, B and W; P is of another account */
byte size[4];
bool hearsA[R], hearsB[R], hearsW[R];
#ifdef M_FIRST
byte first[R] = NONE;              /* the author of the statement that reached a replica first */
#endif

/* The statements by active authors, or, where there are none, by removed ones. B is never removed. */
#ifdef M_REMOVED_SPEAKS
#define asksA(r) hearsA[r]
#define asksW(r) hearsW[r]
#else
#ifdef M_DROPPED
#define speak(r) true
#else
#define speak(r) ((hearsA[r] && !knowsA[r]) || hearsB[r] || (hearsW[r] && !knowsW[r]))
#endif
#define asksA(r) (hearsA[r] && (!knowsA[r] || !speak(r)))
#define asksW(r) (hearsW[r] && (!knowsW[r] || !speak(r)))
#endif
#define asksB(r) hearsB[r]

#if defined(ANYBODY) || defined(M_FURTHEST)
#define witness(r) false
#else
#define witness(r) asksA(r)
#endif

#define furthest(r) MAX((asksA(r) -> size[A] : 0), MAX((asksB(r) -> size[B] : 0), (asksW(r) -> size[W] : 0)))
#define strictest(r) MIN((asksA(r) -> size[A] : NONE), MIN((asksB(r) -> size[B] : NONE), (asksW(r) -> size[W] : NONE)))
#ifdef M_STRICTEST
#define several(r) strictest(r)
#else
#define several(r) furthest(r)
#endif

#ifdef M_FIRST
#define end(r) (first[r] == NONE -> NONE : size[first[r]])
#else
#define end(r) (!(asksA(r) || asksB(r) || asksW(r)) -> NONE : (witness(r) -> size[A] : several(r)))
#endif
#define limit(r) (knowsV[r] -> end(r) : NONE)
#define counts(r) MIN(hold[r], limit(r))

/* The largest size that honest devices of the account have stated. */
#define honest MAX((said[A] -> size[A] : 0), (said[B] -> size[B] : 0))
#define heard(r) (hearsA[r] || hearsB[r])

#ifdef ANYBODY
#define isSure(r) (knowsW[r] && ((hearsA[r] && !knowsA[r]) || hearsB[r]))
#else
#define isSure(r) (knowsW[r] || (hearsA[r] && !knowsA[r]))
#endif

inline check() {
    for (q : 0 .. R - 1) {
        assert(!knowsV[q] || !heard(q) || !isSure(q) || counts(q) <= honest);
#ifdef ANYBODY
        assert(!knowsV[q] || !hearsA[q] || knowsA[q] || counts(q) >= MIN(hold[q], size[A]));
#else
        assert(!knowsV[q] || !hearsA[q] || knowsA[q] || counts(q) == MIN(hold[q], size[A]));
#endif
        assert(!knowsV[q] || !knowsA[q] || !hearsB[q] || counts(q) >= MIN(hold[q], size[B]));
        assert(!knowsV[q] || !heard(q) || limit(q) != NONE);
    }
    q = 0
}

inline settle() {
    for (q : 0 .. R - 1) { assert(!outV || limit(q) == limit(B)) }
    assert(!outV || limit(B) != NONE);
    assert(!outV || !outW || said[A] || said[B]);
    q = 0
}

#ifdef M_FIRST
#define hear(r, author) if :: first[r] == NONE -> first[r] = author :: else fi
#else
#define hear(r, author) skip
#endif

/* From V itself, or from another replica that holds more. */
#define offers(r, s) (hold[s] > hold[r] && counts(s) > hold[r])
#define takes(r) (hold[r] < N && hold[r] < limit(r) && \
    ((!knowsV[r] && hold[r] < written) || offers(r, A) || offers(r, B) || offers(r, P)))
/* No active device has made a statement yet; a device that knows of its own removal makes none. */
#define speaker(r) ((hearsA[r] && !knowsA[r]) || hearsB[r] || (hearsW[r] && !knowsW[r]))
#define mayA (!said[A] && knowsV[A] && !knowsA[A] && !speaker(A))
#ifdef M_SILENT
#define mayB false
#else
#define mayB (!said[B] && knowsV[B] && !speaker(B))
#endif

#define EACH(r) \
    :: d_step { takes(r) -> hold[r]++; check() } \
    :: d_step { outV && !knowsV[r] -> knowsV[r] = true; check() } \
    :: d_step { outA && !knowsA[r] -> knowsA[r] = true; check() } \
    :: d_step { outW && !knowsW[r] -> knowsW[r] = true; check() } \
    :: d_step { said[A] && !hearsA[r] -> hearsA[r] = true; hear(r, A); check() } \
    :: d_step { said[B] && !hearsB[r] -> hearsB[r] = true; hear(r, B); check() } \
    :: d_step { said[W] && !hearsW[r] -> hearsW[r] = true; hear(r, W); check() }

active proctype zone() {
    byte q = 0;
    do
    :: d_step { written < N -> written++; check() }
    :: d_step { !outV -> outV = true; knowsV[A] = true; check() }
    :: d_step { outV && !outA -> outA = true; knowsA[B] = true; check() }
    :: d_step { !outW -> outW = true; check() }
    :: d_step { mayA -> said[A] = true; size[A] = hold[A]; hearsA[A] = true; hear(A, A); check() }
    :: d_step { mayB -> said[B] = true; size[B] = hold[B]; hearsB[B] = true; hear(B, B); check() }
    :: atomic { outV && !said[W] -> select(q : 0 .. N); d_step { size[W] = q; said[W] = true; q = 0; check() } }
    EACH(A)
    EACH(B)
    EACH(P)
    :: else -> settle(); break
    od
}

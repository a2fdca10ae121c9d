/*
 * Trust in positions: a device of the owner lies about the future and is removed, or an account lies and leaves.
 *
 * One data log, of the liar. Two devices of the owner (D1, D2) and a participant (P), all honest, hold some part of it. The liar
 * writes continually, sends any part of its log, and claims at any time a size that is not written yet, under a root that it may
 * or may not fulfil later.
 *
 * Without a flag: the liar is a device of the owner. It states a checkpoint; D1 removes it, with its own size of the log as the cut.
 * Replicas adopt the checkpoint if it covers only effective operations there, and prune; devices of the owner restate it.
 *   LATE     where the removal is known, no operation written after it is effective, unless an honest replica that did not know of
 *            the removal had accepted it
 *   KEEP     operations under an adopted checkpoint stay effective on that replica for ever
 *   SETTLE   when nothing more can happen, and a device of the owner had adopted the checkpoint, all replicas have the same effective part
 *
 * LEAVE: the liar is an account that leaves and states a size. D1 states the effective size when it learns of the leave.
 *   BOUND    where the owner's statement is known, no operation written after the leave is effective, unless D1 had it before it learned
 *   WHOLE    the stated part under a fulfilled root is effective where it is held
 *   SETTLE   when nothing more can happen, all replicas have the same effective part
 *
 * Mutants (each must be found): M_REMOVED_AUTHOR  M_FORGET_ADOPTED  M_SILENT  M_UNSEEN; with LEAVE  M_STATED  M_CLOSED  M_ANY_ROOT
 */

#ifndef N
#define N 3
#endif

#define D1 0
#define D2 1
#define P  2
#define R  3
#define NONE 15

#define MAX(a, b) ((a) > (b) -> (a) : (b))
#define MIN(a, b) ((a) < (b) -> (a) : (b))

byte written = 0;                  /* the liar's log */
byte hold[R];                      /* the size that a replica holds */
byte late = NONE;                  /* the first operation written after the liar's right had ended */
byte stated = 0;                   /* the size that the liar claims; zero while it claims nothing */
bool said = false;
bool fulfils = false;              /* whether the log has the stated root there */
bool over = false;                 /* the removal, or the leave, was made */
bool knows[R];                     /* ... and is known */
byte grace = 0;                    /* the largest size of an honest replica when it learned of it */
bool word = false;                 /* a device of the owner has restated the checkpoint, or stated the effective size */
byte wordSize = 0;
bool hears[R];
bool heardSaid[R];
byte cut = 0;
bool covers = false;               /* the checkpoint itself is effective under the removal */
byte adopted[R];

#ifdef LEAVE
#ifdef M_STATED
#define bound(r) stated
#else
#define bound(r) (hears[r] -> MIN(wordSize, stated) : stated)
#endif
#ifdef M_CLOSED
#define reached(r) false
#else
#ifdef M_ANY_ROOT
#define reached(r) (hold[r] >= bound(r))
#else
#define reached(r) (fulfils && hold[r] >= stated)
#endif
#endif
#define limit(r) (!knows[r] -> N : (reached(r) -> stated : bound(r)))
#else
#ifdef M_REMOVED_AUTHOR
#define final(r) MAX((heardSaid[r] && covers -> stated : 0), (hears[r] -> wordSize : 0))
#else
#define final(r) (hears[r] -> wordSize : 0)
#endif
#ifdef M_FORGET_ADOPTED
#define kept(r) 0
#else
#define kept(r) adopted[r]
#endif
#define limit(r) (!knows[r] -> N : MAX(cut, MAX(final(r), kept(r))))
#endif
#define counts(r) MIN(hold[r], limit(r))

inline check() {
    for (q : 0 .. R - 1) {
#ifdef LEAVE
        assert(!hears[q] || !knows[q] || counts(q) < late || counts(q) <= grace);
        assert(!knows[q] || !fulfils || hold[q] < stated || counts(q) == stated);
#else
        assert(!knows[q] || counts(q) < late || counts(q) <= grace);
        assert(adopted[q] == 0 || counts(q) >= adopted[q]);
#endif
    }
    q = 0
}

inline settle() {
    for (q : 0 .. R - 1) {
#ifdef LEAVE
        assert(counts(q) == counts(D1));
#else
        assert((adopted[D1] == 0 && adopted[D2] == 0) || limit(q) == limit(D1));
#endif
    }
    q = 0
}

/* A cut log is accepted only up to its cut; operations up to a stated root are accepted as well. */
#ifdef LEAVE
#define takes(r) (hold[r] < written && (hold[r] < limit(r) || (fulfils && hold[r] < stated)))
#else
#define takes(r) (hold[r] < written && hold[r] < limit(r))
#endif
#define mayAdopt(r) (adopted[r] == 0 && said && heardSaid[r] && (!knows[r] || covers || hears[r]) && sound(r))
#ifdef M_UNSEEN
#define sound(r) (stated > 0)
#else
#define sound(r) (stated > 0 && fulfils && counts(r) >= stated)
#endif

#ifdef LEAVE
/* The owner's device states the effective size in the step in which it learns of the leave. */
#define learn(r) knows[r] = true; grace = (r == D1 -> hold[r] : grace); \
    if :: r == D1 -> word = true; wordSize = MIN(hold[r], stated); hears[r] = true :: else fi
#define EACH(r) \
    :: d_step { takes(r) -> hold[r]++; check() } \
    :: d_step { over && !knows[r] -> learn(r); check() } \
    :: d_step { word && knows[r] && !hears[r] -> hears[r] = true; check() }
#else
#ifdef M_SILENT
#define maySay(r) false
#else
#define maySay(r) (knows[r] && adopted[r] > 0 && !word)
#endif
#define learn(r) knows[r] = true; grace = MAX(grace, hold[r])
#define EACH(r) \
    :: d_step { takes(r) -> hold[r]++; check() } \
    :: d_step { said && !heardSaid[r] && (!knows[r] || covers) -> heardSaid[r] = true; check() } \
    :: d_step { over && !knows[r] -> learn(r); check() } \
    :: d_step { mayAdopt(r) -> adopted[r] = stated; hold[r] = MAX(hold[r], MIN(stated, written)); check() } \
    :: d_step { (r) != P && maySay(r) -> word = true; wordSize = adopted[r]; hears[r] = true; check() } \
    :: d_step { word && !hears[r] -> hears[r] = true; heardSaid[r] = true; check() }
#endif

active proctype zone() {
    byte q = 0;
    do
    :: d_step { written < N -> written++; if :: over && late == NONE -> late = written :: else fi; check() }
    EACH(D1)
    EACH(D2)
    EACH(P)
#ifdef LEAVE
    :: atomic { !over -> select(stated : 0 .. N);
        if
        :: fulfils = true
        :: fulfils = false
        fi;
        d_step { said = true; over = true;
            /* An honest account states its real size. A larger stated size may be prepared already. */
            if :: stated <= written -> fulfils = (stated > 0) :: else fi;
            if :: fulfils && stated > written -> late = stated + 1 :: else fi; check() } }
#else
    :: atomic { !said && !over -> select(stated : 1 .. N);
        if
        :: fulfils = true
        :: fulfils = false
        fi;
        d_step { said = true; if :: stated <= written -> fulfils = true :: else fi; check() } }
    :: d_step { !over -> over = true; cut = hold[D1]; covers = heardSaid[D1]; learn(D1); check() }
#endif
    :: else -> settle(); break
    od
}

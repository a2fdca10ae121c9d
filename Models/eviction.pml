/*
 * Evictions: devices drop a content that records name, by promises of others that keep it.
 *
 * Three devices, of which the first EVICTORS may evict the content. A device begins an attempt with a row on its disk, asks the others, and
 * drops the content in one transaction when as many have promised as the attempt takes. Each step of a device on its disk is one
 * transaction. A session ends with a process at its other end, and a device notices that at any time later; answers that are on their way
 * may still arrive before. A promise ends when it cannot be used any more: 24 hours are much longer than 15 minutes. With CLOCKS it ends
 * at any time. A device that has dropped the content may fetch it again. A disk may be copied, and later be as it was then. A deletion
 * reaches each device at a time of its own, and then the content is dropped there at any time.
 *
 * Checked, in the transaction that drops the content:
 *   COPIES    as many other devices have it as the attempt takes, not counting those that have promised and then lost it with their disks,
 *             or learned of the deletion; with CLOCKS at least one has it
 *   PROMISED  the device has made no promise that stands, by what it has sent, unless its disk was restored since
 *
 * Bounds:   EVICTORS, TAKES (the promises that the first device takes; 1 for others), CRASHES, RESTORES (of one disk, once), FETCHES, DELETIONS
 * Mutants (each must be found):
 *   M_NO_PROMISE  M_BOTH  M_EMPTY  M_DESPITE  M_EARLY  M_NAMELESS (with DELETIONS)  M_OLD (with TAKES=2)
 *   M_SESSION, M_RESTART (with RESTORES)
 */

#ifndef EVICTORS
#define EVICTORS 2
#endif
#ifndef TAKES
#define TAKES 1
#endif
#ifndef CRASHES
#define CRASHES 1
#endif
#ifndef RESTORES
#define RESTORES 0
#endif
#ifndef FETCHES
#define FETCHES 1
#endif
#ifndef DELETIONS
#define DELETIONS 0
#endif

#define D 3
/* For the device that asks, and the one that is asked. */
#define OF(e, d)  ((e) * D + (d))
#define NEXT(d)   (((d) + 1) % D)
#define AFTER(d)  (((d) + 2) % D)

/* Disks. */
bit has[D];            /* the content is here */
bit row[D];            /* an attempt is under way */
bit promise[D];        /* it is promised to keep the content */
bit named[D];          /* the record that names it is known, and its deletion is not */

/* The memory of processes. */
bit asks[D];           /* it runs an attempt */
bit drops[D];          /* it has the promises, and the transaction with the drop waits */
bit got[D * D];        /* the promise of a device */
bit late[D];           /* M_EARLY: the promise is not on the disk yet */

/* Sessions. */
bit request[D * D];    /* on its way to the holder */
bit answer[D * D];     /* a promise, on its way back */
bit gone[D * D];       /* the holder's process has ended, and the evictor does not know yet */

/* For the properties. */
bit owes[D];           /* a promise was sent, and has not ended */
bit excused[D * D];    /* the holder has lost the content with its disk since it promised, or learned of the deletion */

/* The copy of a disk. */
byte copied = D;
bit copyHas, copyRow, copyPromise, copyGot[D];

byte crashes = 0, restores = 0, fetches = 0;
bit deleted = 0;

#define HOLDS_FOR(e, d)  (got[OF(e, d)] || answer[OF(e, d)])
/* Whether a promise of a device may still be used. */
#define IS_USED(d)  (HOLDS_FOR(NEXT(d), d) || HOLDS_FOR(AFTER(d), d))
#define TAKEN(e)    ((e) == 0 -> TAKES : 1)
#define NUMBER(e)   (got[OF(e, NEXT(e))] + got[OF(e, AFTER(e))])

#ifdef M_NO_PROMISE
#define IS_ENOUGH(e)  1
#else
#define IS_ENOUGH(e)  (NUMBER(e) >= TAKEN(e))
#endif

#ifdef M_DESPITE
#define MAY_BEGIN(d)  1
#define MAY_DROP(d)   1
#else
#define MAY_BEGIN(d)  (!promise[d])
#ifdef M_BOTH
#define MAY_DROP(d)   1
#else
#define MAY_DROP(d)   (!promise[d])
#endif
#endif

#ifdef M_EMPTY
#define IS_HERE(d)  1
#else
#define IS_HERE(d)  has[d]
#endif
#ifdef M_BOTH
#define IS_FREE(d)  1
#else
#define IS_FREE(d)  (!row[d])
#endif
#ifdef M_NAMELESS
#define IS_NAMED(d)  1
#else
#define IS_NAMED(d)  named[d]
#endif

#ifdef CLOCKS
#define NEEDED(e)   1
#define MAY_END(d)  1
#else
#define NEEDED(e)   TAKEN(e)
#ifdef M_OLD
#define MAY_END(d)  1
#else
#define MAY_END(d)  (!IS_USED(d))
#endif
#endif

inline forgetOne(e, d) { request[OF(e, d)] = 0; answer[OF(e, d)] = 0; got[OF(e, d)] = 0; excused[OF(e, d)] = 0; gone[OF(e, d)] = 0 }

/* The end of an attempt in memory. Answers that come later are to an earlier attempt, and are ignored. */
inline finish(e) { asks[e] = 0; drops[e] = 0; forgetOne(e, NEXT(e)); forgetOne(e, AFTER(e)) }

#define ASK(d)  d_step { asks[me] && !drops[me] && !request[OF(me, d)] && !HOLDS_FOR(me, d) && !gone[OF(me, d)] -> \
    printf("%d: asks %d\n", me, d); request[OF(me, d)] = 1 }
#define HEAR(d)  d_step { answer[OF(me, d)] && !drops[me] -> \
    printf("%d: has the promise of %d\n", me, d); answer[OF(me, d)] = 0; got[OF(me, d)] = 1 }
/* 15 minutes are over. */
#define AGE(d)  d_step { HOLDS_FOR(me, d) && !drops[me] -> \
    printf("%d: the promise of %d is too old\n", me, d); got[OF(me, d)] = 0; answer[OF(me, d)] = 0; excused[OF(me, d)] = 0 }
#ifdef M_SESSION
#define NOTICE(d)  d_step { gone[OF(me, d)] -> \
    printf("%d: notices that the session with %d has ended\n", me, d); gone[OF(me, d)] = 0; answer[OF(me, d)] = 0; excused[OF(me, d)] = 0 }
#else
#define NOTICE(d)  d_step { gone[OF(me, d)] -> \
    printf("%d: notices that the session with %d has ended\n", me, d); gone[OF(me, d)] = 0; \
    if :: drops[me] -> skip :: else -> got[OF(me, d)] = 0; answer[OF(me, d)] = 0; excused[OF(me, d)] = 0 fi }
#endif

#ifdef M_EARLY
#define WRITE_PROMISE  late[me] = 1
#else
#define WRITE_PROMISE  promise[me] = 1
#endif

/* As the holder. */
#define SERVE(e)  d_step { request[OF(e, me)] -> request[OF(e, me)] = 0; \
    if \
    :: IS_HERE(me) && IS_FREE(me) && IS_NAMED(me) -> \
        printf("%d: promises it to %d\n", me, e); WRITE_PROMISE; answer[OF(e, me)] = 1; owes[me] = 1; excused[OF(e, me)] = 0 \
    :: else -> printf("%d: does not promise it to %d\n", me, e) \
    fi }

proctype device(byte me) {
end:
    do
    /* As the evictor. */
    :: d_step { me < EVICTORS && !asks[me] && !row[me] && has[me] && named[me] && MAY_BEGIN(me) ->
        printf("%d: begins an attempt\n", me); row[me] = 1; asks[me] = 1 }
    :: ASK(NEXT(me))
    :: ASK(AFTER(me))
    :: HEAR(NEXT(me))
    :: HEAR(AFTER(me))
    :: AGE(NEXT(me))
    :: AGE(AFTER(me))
    :: NOTICE(NEXT(me))
    :: NOTICE(AFTER(me))
    :: d_step { asks[me] && !drops[me] -> printf("%d: ends the attempt\n", me); row[me] = 0; finish(me) }
    :: d_step { asks[me] && !drops[me] && IS_ENOUGH(me) -> printf("%d: has its promises\n", me); drops[me] = 1 }
    :: d_step { drops[me] ->
        if
        :: row[me] && has[me] && named[me] && MAY_DROP(me) ->
            printf("%d: evicts it\n", me);
            has[me] = 0;
            assert(has[NEXT(me)] + has[AFTER(me)]
                + (got[OF(me, NEXT(me))] && excused[OF(me, NEXT(me))] && !has[NEXT(me)])
                + (got[OF(me, AFTER(me))] && excused[OF(me, AFTER(me))] && !has[AFTER(me)]) >= NEEDED(me));     /* COPIES */
            assert(!owes[me])                                                                                   /* PROMISED */
        :: else -> printf("%d: keeps it\n", me)
        fi;
        row[me] = 0; finish(me) }

    /* As the holder. */
    :: SERVE(NEXT(me))
    :: SERVE(AFTER(me))
#ifdef M_EARLY
    :: d_step { late[me] -> printf("%d: the promise is on its disk\n", me); late[me] = 0; promise[me] = 1 }
#endif
    :: d_step { promise[me] && MAY_END(me) -> printf("%d: its promise ends\n", me); promise[me] = 0; owes[me] = 0 }

    :: d_step { fetches < FETCHES && !has[me] && named[me] && (has[NEXT(me)] || has[AFTER(me)]) ->
        printf("%d: fetches it again\n", me); fetches++; has[me] = 1 }
    :: d_step { deleted && named[me] ->
        printf("%d: learns of the deletion\n", me); named[me] = 0;
        if :: HOLDS_FOR(NEXT(me), me) -> excused[OF(NEXT(me), me)] = 1 :: else -> skip fi;
        if :: HOLDS_FOR(AFTER(me), me) -> excused[OF(AFTER(me), me)] = 1 :: else -> skip fi }
    :: d_step { !named[me] && has[me] ->
        printf("%d: drops it, since no record names it\n", me); has[me] = 0; promise[me] = 0; owes[me] = 0 }
    od
}

inline leave(e, d) {
    request[OF(e, d)] = 0;
    if :: HOLDS_FOR(e, d) -> gone[OF(e, d)] = 1 :: else -> skip fi
}

/* The process ends, and another one begins, which removes the row that it finds. */
inline restart(d) {
#ifdef M_RESTART
    request[OF(d, NEXT(d))] = 0; request[OF(d, AFTER(d))] = 0; drops[d] = 0; asks[d] = row[d];
#else
    finish(d);
    row[d] = 0;
#endif
    late[d] = 0;
    leave(NEXT(d), d);
    leave(AFTER(d), d)
}

inline lose(e, d) {
    if :: HOLDS_FOR(e, d) && !has[d] -> excused[OF(e, d)] = 1 :: else -> skip fi
}

/* The disk is as it was when it was copied. */
inline restore(d) {
    has[d] = copyHas; row[d] = copyRow; promise[d] = copyPromise; owes[d] = 0;
#ifdef M_RESTART
    got[OF(d, NEXT(d))] = copyGot[NEXT(d)]; got[OF(d, AFTER(d))] = copyGot[AFTER(d)];
#endif
    lose(NEXT(d), d);
    lose(AFTER(d), d);
    restart(d)
}

#define CRASH(d)  d_step { crashes < CRASHES -> printf("%d: crashes\n", d); crashes++; restart(d) }
#define COPY(d)  d_step { restores < RESTORES && copied == D -> printf("%d: its disk is copied\n", d); copied = d; \
    copyHas = has[d]; copyRow = row[d]; copyPromise = promise[d]; \
    copyGot[NEXT(d)] = got[OF(d, NEXT(d))]; copyGot[AFTER(d)] = got[OF(d, AFTER(d))] }
#define RESTORE(d)  d_step { copied == d && restores < RESTORES -> printf("%d: its disk is restored\n", d); restores++; restore(d); \
    copied = D; copyHas = 0; copyRow = 0; copyPromise = 0; copyGot[NEXT(d)] = 0; copyGot[AFTER(d)] = 0 }

proctype faults() {
end:
    do
    :: CRASH(0)
    :: CRASH(1)
    :: CRASH(2)
#if RESTORES > 0
    :: COPY(0)
    :: COPY(1)
    :: COPY(2)
    :: RESTORE(0)
    :: RESTORE(1)
    :: RESTORE(2)
#endif
#if DELETIONS > 0
    :: d_step { !deleted -> printf("the record is deleted\n"); deleted = 1 }
#endif
    od
}

init {
    atomic {
        has[0] = 1; has[1] = 1;
        named[0] = 1; named[1] = 1; named[2] = 1;
        if :: has[2] = 1 :: skip fi;
        run device(0); run device(1); run device(2); run faults()
    }
}

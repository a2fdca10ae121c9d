/*
 * Removal with a cut: the effective operations are a function of the set of control operations.
 *
 * An owner with two devices, one that removes (D1) and one that makes checkpoints (D2); an admin, whose device is also a replica;
 * and a writer that the admin has admitted. The writer writes continually. The admin removes the writer and admits another
 * account; the owner removes the admin, and with it the rights that descend from it, and may correct the admin's cut. All of
 * this happens at any time, in any order, and every operation reaches every replica at a random time. The admin lies: it claims
 * any part of its real past as its view, so that operations written after its removal look older.
 *
 * Checked at every moment, for each replica by its operations:
 *   AGREE     replicas with the same control operations have the same effective operations
 *   FINAL     operations under a checkpoint are effective
 *   BOUND     the writer's log is effective at most up to the cut of each effective removal, unless a checkpoint covers more or a
 *             correction that had seen that removal
 *   LATE      operations of the admin from after it learned of its own removal have no effect where the removal is known, unless
 *             a checkpoint covers them
 *   SETTLED   where a checkpoint is known, a grant by the admin is effective only if one of the two had the other in view
 *   SILENCE   operations of the writer from after it learned of an effective removal have no effect where that is known,
 *             unless a checkpoint or a correction covers them
 *
 * Mutants (each must be found): M_ARRIVAL  M_MAX  M_NO_WATERMARK  M_CLAIM  M_NO_FINALITY  M_RAISE_ALL
 *                               M_ONLY_DATA
 * LIMIT is not a mutant: SILENCE without its exception. See the README.
 * Smaller: NO_CP, NO_UP without the checkpoint, the correction.
 */

#ifndef WRITES
#define WRITES 2
#endif

/* Replicas. Each holds any part of the writer's log. */
#define D1     0
#define D2     1
#define ADMIN  2
#define R      3

/* Control operations, one bit each. */
#define RW 1                       /* the admin removes the writer */
#define GR 2                       /* the admin admits another account */
#define RA 4                       /* the owner's D1 removes the admin: the writer too, who descends from it */
#define CP 8                       /* the owner's D2 makes a checkpoint */
#define UP 16                      /* the owner's D1 corrects the cut of the writer's log */

#define NONE 15                    /* no cut */
#define MAX(a, b) ((a) > (b) -> (a) : (b))
#define MIN(a, b) ((a) < (b) -> (a) : (b))

byte all = 0;                      /* existing control operations */
byte has[R];                       /* those held */
byte written = 0;                  /* the writer's log */
byte size = 0;                     /* the admin's control log */
byte placeRW = 0, placeGR = 0;     /* places in it */
byte seenRW, seenGR, seenCP, seenRA, seenUP;
byte cutRW, cutRA;                 /* cuts of the writer's log */
byte cutAdmin;                     /* RA's cut of the admin's control log */
byte coveredLog, coveredAdmin;     /* the checkpoint's sizes */
byte raise;                        /* the correction */
byte lateRW = 0, lateGR = 0;       /* written after the admin had learned of RA */
byte silence = NONE;               /* the writer's first operation after it had learned of a removal */
byte silencer = 0;                 /* these removals */
byte stored[R];                    /* mutants only: the cut at its arrival */

#define made(o)     ((all & (o)) != 0)
#define holds(r, o) ((has[r] & (o)) != 0)
#define covered(r)  (holds(r, CP) -> coveredAdmin : 0)

/* The effective part of the admin's control log. */
#ifdef M_ONLY_DATA
#define admin(r) NONE
#else
#define admin(r) (holds(r, RA) -> MAX(cutAdmin, covered(r)) : NONE)
#endif

#ifdef M_CLAIM
#define countsGR(r) (holds(r, GR) && !(holds(r, RA) && (seenGR & RA) != 0) && settled(r))
#else
#define countsGR(r) (holds(r, GR) && placeGR <= admin(r) && settled(r))
#endif
#define inView(r) (placeGR <= coveredAdmin || (seenGR & CP) != 0)
#ifdef M_NO_FINALITY
#define settled(r) true
#else
#define settled(r) (!holds(r, CP) || inView(r))
#endif
#define countsRW(r) (holds(r, RW) && placeRW <= admin(r))

#ifdef M_RAISE_ALL
#define raised(r, o, cut) (holds(r, UP) -> MAX(cut, raise) : cut)
#else
#define raised(r, o, cut) (holds(r, UP) && (seenUP & (o)) != 0 -> MAX(cut, raise) : cut)
#endif
#define byRW(r) (countsRW(r) -> raised(r, RW, cutRW) : NONE)
#define byRA(r) (holds(r, RA) -> raised(r, RA, cutRA) : NONE)

#ifdef M_MAX
#define least(r) (byRW(r) == NONE -> byRA(r) : (byRA(r) == NONE -> byRW(r) : MAX(byRW(r), byRA(r))))
#else
#define least(r) MIN(byRW(r), byRA(r))
#endif
#ifdef M_ARRIVAL
#define cut(r) (least(r) == NONE -> NONE : stored[r])
#else
#define cut(r) least(r)
#endif
/* The effective part of the writer's log. */
#ifdef M_NO_WATERMARK
#define writer(r) cut(r)
#else
#define writer(r) MAX(cut(r), (holds(r, CP) -> coveredLog : 0))
#endif

#define excused(r, o) MAX((holds(r, CP) -> coveredLog : 0), (holds(r, UP) && (seenUP & (o)) != 0 -> raise : 0))

#define AGREE(p, q) (has[p] != has[q] || (writer(p) == writer(q) && countsGR(p) == countsGR(q)))
#define FINAL(r)    (!holds(r, CP) || writer(r) >= coveredLog)
#define BOUND(r)    ((!countsRW(r) || writer(r) <= MAX(cutRW, excused(r, RW))) && \
                     (!holds(r, RA) || writer(r) <= MAX(cutRA, excused(r, RA))))
#define LATE(r)     (!holds(r, RA) || ((!lateRW || !countsRW(r) || placeRW <= covered(r)) && \
                     (!lateGR || !countsGR(r) || placeGR <= covered(r))))
#define SETTLED(r)  (!(holds(r, CP) && countsGR(r)) || inView(r))
#define known(r)    (((silencer & RW) != 0 && countsRW(r)) || ((silencer & RA) != 0 && holds(r, RA)))
#ifdef LIMIT
#define SILENCE(r)  (silence == NONE || !known(r) || writer(r) < silence)
#else
#define SILENCE(r)  (silence == NONE || !known(r) || writer(r) < silence || \
                     writer(r) <= MAX(excused(r, RW), excused(r, RA)))
#endif

inline check() {
    for (r : 0 .. R - 1) {
        assert(FINAL(r));
        assert(BOUND(r));
        assert(LATE(r));
        assert(SETTLED(r));
        assert(SILENCE(r));
        for (q : 0 .. R - 1) {
            assert(AGREE(r, q))
        }
    }
    r = 0; q = 0
}

/* A control operation reaches a replica that holds its author's claimed view, in the order of its log. */
inline hear(o) {
    has[r] = has[r] | o;
#ifdef M_ARRIVAL
    stored[r] = (stored[r] != NONE -> stored[r] : (o == RW -> cutRW : (o == RA -> cutRA : NONE)))
#endif
}

/* The writer learns of a removal. */
inline fall_silent(o) {
    made(o) && silence == NONE -> silence = written + 1; silencer = o; check()
}

/* Except for its own operations, and the correction, on which nothing depends. */
inline pretend() {
    if
    :: claim = 0
    :: claim = RA
    :: claim = CP
    :: claim = RA | CP
    fi
}

#define may(r, o, seen) (made(o) && !holds(r, o) && (has[r] & (seen)) == (seen))
active proctype zone() {
    byte r = 0, q = 0, claim = 0, hold = 0;
    d_step { for (r : 0 .. R - 1) { stored[r] = NONE }; r = 0 }
    do
    :: d_step { written < WRITES -> written++; check() }
    :: d_step { fall_silent(RW) }
    :: d_step { fall_silent(RA) }
    /* The admin removes the writer, with its own size of the log as the cut, and claims any view. */
    :: atomic { !made(RW) -> pretend(); select(hold : 0 .. written);
        if
        :: (has[ADMIN] & claim) == claim ->
            d_step { size++; placeRW = size; seenRW = claim | (made(GR) -> GR : 0); cutRW = hold; hold = 0; r = ADMIN;
                lateRW = holds(ADMIN, RA); all = all | RW; hear(RW); claim = 0; check() }
        :: else -> claim = 0; hold = 0
        fi }
    :: atomic { !made(GR) -> pretend();
        if
        :: (has[ADMIN] & claim) == claim ->
            d_step { size++; placeGR = size; seenGR = claim | (made(RW) -> RW : 0); r = ADMIN; lateGR = holds(ADMIN, RA);
                all = all | GR; hear(GR); claim = 0; check() }
        :: else -> claim = 0
        fi }
    /* The owner is honest. */
    :: atomic { !made(RA) -> select(hold : 0 .. written); d_step { seenRA = has[D1]; cutRA = hold; hold = 0;
        cutAdmin = (holds(D1, RW) -> placeRW : 0); cutAdmin = MAX(cutAdmin, (holds(D1, GR) -> placeGR : 0));
        all = all | RA; r = D1; hear(RA); check() } }
#ifndef NO_UP
    :: atomic { !made(UP) && holds(D1, RW) -> select(hold : 0 .. written); d_step { seenUP = has[D1]; raise = hold;
        hold = 0; all = all | UP; r = D1; hear(UP); check() } }
#endif
#ifndef NO_CP
    :: atomic { !made(CP) -> select(hold : 0 .. written); d_step { seenCP = has[D2]; coveredLog = MIN(hold, cut(D2)); hold = 0;
        coveredAdmin = (holds(D2, RW) -> placeRW : 0); coveredAdmin = MAX(coveredAdmin, (holds(D2, GR) -> placeGR : 0));
        coveredAdmin = MIN(coveredAdmin, admin(D2)); all = all | CP; r = D2; hear(CP); check() } }
#endif
    /* Every operation reaches every replica at some time. */
    :: atomic { select(r : 0 .. R - 1);
        if
        :: may(r, RW, seenRW) -> hear(RW)
        :: may(r, RA, seenRA) -> hear(RA)
        :: may(r, GR, seenGR) -> hear(GR)
        :: may(r, CP, seenCP) -> hear(CP)
        :: may(r, UP, seenUP) -> hear(UP)
        :: else
        fi;
        d_step { check() } }
    od
}

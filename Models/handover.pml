/*
 * The transfer of a zone to another account with its consent.
 *
 * An owner with two devices, D1 and D2, and the offered account with one, H. D1 offers the zone, H accepts and declines, D1 or D2
 * withdraws the offer, and the device that made the open offer transfers the zone. D1 may be restored from a backup of any moment, and
 * continues as another incarnation. Every operation reaches every replica at some time, after those that its author had seen, and
 * otherwise in any order. A consent reaches the owner's device alone, or comes from another replica and ahead of the other operations
 * of that one; then the two minutes are over when all of those have arrived.
 *
 * TWO: D1, another incarnation of it, or D2 makes a second offer, with the first one in view or without; H does not decline.
 *
 * LIE: one offer, and one transfer by a liar: D2, or a device of another account. It names the first ownership or, when the new owner has
 * given the zone back, the one after that; it carries no consent, H's, or that of an accomplice; it claims to have seen everything or
 * nothing; it is before or after an honest one in the order of devices and hashes. A device of another account also makes an offer.
 *
 * UNTRACED: one offer, and a backup that leaves no trace. D1 continues in its incarnation, so that its log gets two histories.
 *
 * Checked at every moment, for each replica by its operations:
 *   CONSENT    no account owns the zone that did not consent to follow this ownership, or that no device of its owner named
 *   AGREE      replicas that hold the same control operations have the same owner and the same offer
 *   ONCE       at most one transfer of an ownership is effective
 *   WITHDRAWN  an honest device transfers nothing by an offer that was withdrawn, replaced, or declined since, by its own operations or
 *              those of the bringer of the consent
 *   CUT        writes of D2 that the bringer of the consent held are below the transfer's cut
 *   OFFER      an offer is open only under the ownership under which one of its owner's devices made it, and not after an operation
 *              that withdrew or replaced it and whose author had seen it
 *   STAY       a transfer that a replica has seen remains effective there, unless the second offer is of another device or incarnation, a
 *              former owner's device also makes a transfer, or its log has two histories
 *   GO         when nothing more can happen, all replicas are equal, and an open and accepted offer was completed, if its
 *              author still exists
 *
 * Mutants (each must be found): M_NO_WITHDRAWAL  M_FIRST_ANSWER  M_DECLINED  M_NOTED  M_NO_WAIT  M_EARLY_CUT  M_RESTORED  M_SIBLING;
 * with TWO  M_ARRIVAL  M_FIRST_OFFER  M_ALL; with LIE  M_NO_CONSENT  M_ANY_OWNERSHIP  M_ANY_AUTHOR  M_ANY_OFFER  M_OLD_OFFER
 * LIMIT is not a mutant: STAY without its exceptions, with TWO, LIE or UNTRACED. Neither is RESTATED, with UNTRACED. See the README.
 */

#if !defined(TWO) && !defined(LIE) && !defined(UNTRACED)
#define ONE
#endif

/* Replicas. */
#define D1 0
#define D2 1
#define H  2
#define R  3
#define NOBODY 3                   /* a device of another account */

/* Operations, one bit each. */
#define F1 1                       /* D1 offers the zone */
#define F2 2                       /* D1 or D2 offers it again */
#define W  4                       /* D1 or D2 withdraws the open offer */
#define Y1 8                       /* H accepts F1 */
#define N1 16                      /* H declines F1 */
#define Y2 32                      /* H accepts F2 */
#define T1 64                      /* D1 transfers the zone by F1 */
#define T2 128                     /* another transfer by an honest device */
#define T3 256                     /* T1 or T2, restated behind a fork */
#define B  512                     /* H returns the zone */
#define L  1024                    /* the liar's transfer */
#define X  2048                    /* an offer by a device of another account */
#define DATA 4096                  /* no control operation: D2 writes */
#define CONTROL 2047               /* all but those two */

#define MAX(a, b) ((a) > (b) -> (a) : (b))

/* Accounts. */
#define OLD 0
#define NEW 1
#define ACCOMPLICE 2

short all = 0;                     /* existing operations */
short has[R];                      /* those held */
short seenF2, seenW, seenY1, seenN1, seenY2, seenT1, seenT2, seenT3, seenB, seenL;
byte placeF1 = 0, placeF2 = 0, placeW = 0;      /* rank and hash */
bool refused = false;              /* of H's two answers to F1 the decline was first */
bool firstWins = false;            /* by devices and hashes T1 precedes T2 */
byte again = NOBODY;               /* the maker of F2 ... */
bool againNew = false;             /* ... and whether D1 did as another incarnation */
bool isNew = false;                /* D1 is another incarnation */
bool backed = false, restored = false;
short backup = 0;
short brought[2];                  /* the other operations of the bringer of the consent */
bool quiet = false;                /* no further actions of people */
#ifdef LIE
bool isOwners = false;             /* the liar's transfer is made by D2 ... */
bool late = false;                 /* ... under the ownership that B makes */
byte to = NEW;
bool consents = false;             /* it carries H's consent to F1 */
bool liarWins = false;             /* by devices and hashes it precedes T1 */
short givenBack = 0;               /* the transfer that made the ownership that B ends */
#endif
#ifdef M_ARRIVAL
short stored[R];                   /* the first transfer that arrived */
#endif

#define made(o)     ((all & (o)) != 0)
#define holds(r, o) ((has[r] & (o)) != 0)

/* Transfers. */
#ifdef UNTRACED
#define forked(r) (holds(r, T1) && holds(r, T2))
#else
#define forked(r) false
#endif
#define isT1(r) (holds(r, T1) && !forked(r))
#define isT2(r) (holds(r, T2) && !forked(r))
#define isT3(r) holds(r, T3)

#ifdef LIE
#ifdef M_NO_CONSENT
#define agreed (!late || consents)
#define agreedLate true
#else
#ifdef M_ANY_OWNERSHIP
#define agreedLate consents
#else
#define agreedLate false
#endif
#define agreed (consents || to == ACCOMPLICE)
#endif
#ifdef M_ANY_AUTHOR
#define speaks true
#else
#define speaks isOwners
#endif
#define isL(r)     (holds(r, L) && !late && speaks && agreed)
#define isLateL(r) (holds(r, L) && late && speaks && agreedLate)
#define oneGoesL   ((seenL & T1) != 0 || ((seenT1 & L) == 0 && !liarWins))
#define lGoesOne   ((seenT1 & L) != 0 || ((seenL & T1) == 0 && liarWins))
#else
#define isL(r) false
#define oneGoesL false
#define lGoesOne false
#endif
#define oneGoesTwo firstWins
#define twoGoesOne (!firstWins)

#ifdef M_ALL
#define effT1(r) isT1(r)
#define effT2(r) isT2(r)
#define effL(r)  isL(r)
#else
#define effT1(r) (isT1(r) && !(isT2(r) && twoGoesOne) && !(isL(r) && lGoesOne))
#define effT2(r) (isT2(r) && !(isT1(r) && oneGoesTwo))
#define effL(r)  (isL(r) && !(isT1(r) && oneGoesL))
#endif
/* The transfer that ends the first ownership. */
#define found(r) (effT1(r) -> T1 : (effT2(r) -> T2 : (effL(r) -> L : (isT3(r) -> T3 : 0))))
#ifdef M_ARRIVAL
#define end(r) (stored[r] != 0 -> stored[r] : found(r))
#else
#define end(r) found(r)
#endif
#ifdef LIE
#define isBack(r)    (holds(r, B) && end(r) == givenBack)
#define ownership(r) (isBack(r) -> (isLateL(r) -> L : B) : end(r))
#define owner(r)     (ownership(r) == 0 || ownership(r) == B -> OLD : (ownership(r) == L -> to : NEW))
#else
#define ownership(r) end(r)
#define owner(r)     (ownership(r) == 0 -> OLD : NEW)
#endif

/* The open offer. */
#define place1(r) (holds(r, F1) -> placeF1 : 0)
#define place2(r) (holds(r, F2) -> placeF2 : 0)
#ifdef M_NO_WITHDRAWAL
#define placeOfW(r) 0
#else
#define placeOfW(r) (holds(r, W) -> placeW : 0)
#endif
#ifdef M_FIRST_OFFER
#define last(r) (holds(r, F1) -> F1 : (holds(r, F2) -> F2 : 0))
#else
#define last(r) (MAX(place1(r), place2(r)) <= placeOfW(r) -> 0 : (place1(r) > place2(r) -> F1 : F2))
#endif
#ifdef M_ANY_OFFER
#define latest(r) (holds(r, X) -> X : last(r))
#else
#define latest(r) last(r)
#endif
#ifdef M_OLD_OFFER
#define offer(r) (owner(r) == OLD -> latest(r) : 0)
#else
#define offer(r) (ownership(r) == 0 -> latest(r) : 0)
#endif
#ifdef M_FIRST_ANSWER
#define yes(r) holds(r, Y1)
#else
#ifdef M_DECLINED
#define yes(r) (holds(r, Y1) && !holds(r, N1))
#else
#define yes(r) (holds(r, Y1) && (!holds(r, N1) || refused))
#endif
#endif

/* Neither needs an order of places: the operation was made after the offer, with it in view. */
#define endsF1(set) (((set) & W) != 0 && (seenW & F1) != 0 || ((set) & F2) != 0 && (seenF2 & F1) != 0)
#define endsF2(set) (((set) & W) != 0 && (seenW & F2) != 0)
#define declined(set) (((set) & N1) != 0 && !refused)

#ifdef LIMIT
#define excused(r) false
#else
#ifdef LIE
#define excused(r) isL(r)
#else
#ifdef UNTRACED
#define excused(r) forked(r)
#else
#define excused(r) (again == D2 || againNew)
#endif
#endif
#endif

inline check() {
    for (q : 0 .. R - 1) {
#ifdef LIE
        /* CONSENT */
        assert(ownership(q) != L || (isOwners && !late && (consents || to == ACCOMPLICE)));
        assert(effT1(q) + effL(q) <= 1);
#else
        assert(effT1(q) + effT2(q) <= 1);
#endif
        assert(owner(q) != NEW || made(Y1) || made(Y2));
        /* OFFER */
        assert(offer(q) == 0 || (offer(q) != X && ownership(q) == 0));
        assert(offer(q) != F1 || !endsF1(has[q]));
        assert(offer(q) != F2 || !endsF2(has[q]));
        for (p : 0 .. q) {
            assert((has[p] & CONTROL) != (has[q] & CONTROL) || (ownership(p) == ownership(q) && offer(p) == offer(q)))
        }
    }
    q = 0; p = 0
}

/* An operation reaches a replica that holds the operations its author had seen. */
#define may(r, o, seen) (made(o) && !holds(r, o) && (has[r] & (seen)) == (seen))
#ifdef M_ARRIVAL
#define store(r) stored[r] = end(r)
#else
#define store(r) skip
#endif
inline hear(r, o) {
    old = end(r);
    has[r] = has[r] | (o);
    store(r);
    assert(old == 0 || end(r) == old || excused(r));
    old = 0
}
inline say(r, o) { all = all | (o); hear(r, o) }

#define EACH(r) \
    :: d_step { may(r, F1, 0) -> hear(r, F1) } \
    :: d_step { may(r, W, seenW) -> hear(r, W) } \
    :: d_step { may(r, N1, seenN1) -> hear(r, N1) } \
    :: d_step { may(r, T1, seenT1) -> hear(r, T1) } \
    :: d_step { may(r, DATA, 0) -> hear(r, DATA) }

/* A consent reaches a device that may have to act on it. */
#define BESIDES (W | N1 | F2 | DATA)
#define FROM(r, s) \
    :: d_step { holds(s, Y1) && may(r, Y1, seenY1) -> brought[r] = has[s] & BESIDES; hear(r, Y1) } \
    :: d_step { holds(s, Y2) && may(r, Y2, seenY2) -> brought[r] = has[s] & BESIDES; hear(r, Y2) }
#define ALONE(r) \
    :: d_step { may(r, Y1, seenY1) -> brought[r] = 0; hear(r, Y1) } \
    :: d_step { may(r, Y2, seenY2) -> brought[r] = 0; hear(r, Y2) }

#define above(r) (MAX(place1(r), MAX(place2(r), (holds(r, W) -> placeW : 0))) / 3 + 1)
#define late2(r) ((brought[r] & ~has[r]) != 0)
#ifdef M_NO_WAIT
#define caughtUp(r) true
#else
#define caughtUp(r) (!late2(r))
#endif
#ifdef M_EARLY_CUT
#define cutOf(r) false
#else
#define cutOf(r) holds(r, DATA)
#endif
/* Whether a device has F1, or F2, to complete. */
#ifdef M_NOTED
#define ready1(r) (holds(r, F1) && holds(r, Y1) && ownership(r) == 0 && caughtUp(r))
#else
#define ready1(r) (offer(r) == F1 && yes(r) && ownership(r) == 0 && caughtUp(r))
#endif
#define ready2(r) (offer(r) == F2 && holds(r, Y2) && ownership(r) == 0 && caughtUp(r))

/* WITHDRAWN and CUT */
inline complete1(r) {
    assert(!endsF1(has[r] | brought[r]) && !declined(has[r] | brought[r]));
    assert((brought[r] & DATA) == 0 || cutOf(r))
}
inline complete2(r) {
    assert(!endsF2(has[r] | brought[r]));
    assert((brought[r] & DATA) == 0 || cutOf(r))
}

#define WITHDRAW(r) \
    :: d_step { !quiet && !made(W) && offer(r) != 0 && offer(r) != X -> seenW = has[r] & CONTROL; placeW = above(r) * 3 + 2; say(r, W) }
#define OFFER(r) !quiet && made(F1) && !made(F2) && owner(r) == OLD
#define SECOND(r, pad) \
    again = r; againNew = (r == D1 && isNew); seenF2 = has[r] & CONTROL; placeF2 = (above(r) + pad) * 3; say(r, F2)

#define SECOND_TRANSFER(r) complete2(r); seenT2 = has[r] & CONTROL; say(r, T2)

#define live1 (!isNew)
#define live2 (again == D2 || againNew == isNew)
#define noTransfer (ownership(D1) == 0)

inline settle() {
    for (q : 0 .. R - 1) { assert((has[q] | X) == (all | X)) }
    q = 0;
    assert(!(noTransfer && made(Y1) && live1 && !declined(all) && last(H) == F1));
    assert(!(noTransfer && made(Y2) && live2 && last(H) == F2))
}

active proctype zone() {
    byte q = 0, p = 0;
    short old = 0;
    do
    :: atomic { if
    /* People. */
#ifndef LIE
    :: d_step { !quiet -> quiet = true }
#endif
    :: d_step { !quiet && !made(F1) -> placeF1 = 4; say(D1, F1) }
    WITHDRAW(D1)
    WITHDRAW(D2)
    :: d_step { !quiet && !made(Y1) && offer(H) == F1 -> seenY1 = has[H] & CONTROL; refused = made(N1); say(H, Y1) }
#if !defined(TWO) && !defined(LIE)
    :: d_step { !quiet && !made(N1) && offer(H) == F1 -> seenN1 = has[H] & CONTROL; say(H, N1) }
#endif
#ifdef ONE
    :: d_step { !quiet && !made(DATA) -> say(D2, DATA) }
#endif
    /* The device that made the offer. */
    :: d_step { !made(T1) && !isNew && ready1(D1) -> complete1(D1); seenT1 = has[D1] & CONTROL; say(D1, T1) }
#ifndef LIE
    /* A backup. */
    :: d_step { !quiet && !backed && made(F1) -> backed = true; backup = has[D1] }
    :: d_step { backed && !restored && !quiet -> restored = true; has[D1] = backup; backup = 0; brought[D1] = 0;
#ifdef M_ARRIVAL
        stored[D1] = found(D1);
#endif
#ifndef UNTRACED
        isNew = true
#endif
        }
#endif
#ifdef M_RESTORED
    :: d_step { !made(T2) && isNew && ready1(D1) -> seenT2 = has[D1] & CONTROL; say(D1, T2) }
#endif
#ifdef M_SIBLING
    :: d_step { !made(T2) && ready1(D2) -> seenT2 = has[D2] & CONTROL; say(D2, T2) }
#endif
#ifdef UNTRACED
    :: d_step { !made(T2) && restored && made(T1) && !isNew && ready1(D1) -> complete1(D1); seenT2 = has[D1] & CONTROL; say(D1, T2) }
    :: d_step { forked(D1) && !isNew -> isNew = true }
#ifdef RESTATED
    :: d_step { forked(D1) && isNew && !made(T3) -> complete1(D1); seenT3 = has[D1] & CONTROL; say(D1, T3) }
#endif
#endif
#ifdef LIE
    :: d_step { !quiet && !made(B) && owner(H) == NEW -> givenBack = end(H); seenB = has[H] & CONTROL; say(H, B) }
    :: d_step { !made(X) && !quiet -> all = all | X }
    :: atomic { !made(L) && !quiet ->
        if
        :: isOwners = true
        :: made(Y1) -> consents = true
        :: made(Y1) -> isOwners = true; consents = true
        :: isOwners = true; to = ACCOMPLICE
        fi;
        if
        :: made(B) && to == NEW -> late = true; seenL = seenB | B
        :: isOwners && (consents || to == ACCOMPLICE) -> liarWins = true
        :: isOwners && (consents || to == ACCOMPLICE) -> seenL = all & ~X
        :: true
        fi;
        all = all | L }
#endif
#ifdef TWO
    /* Not beside an open offer of its own that is not declined. */
    :: d_step { OFFER(D1) && (isNew || offer(D1) != F1 || (holds(D1, N1) && !yes(D1))) -> SECOND(D1, 0) }
    :: d_step { OFFER(D1) && isNew && !holds(D1, F1) -> SECOND(D1, 1) }
    :: d_step { OFFER(D2) -> SECOND(D2, 0) }
    :: d_step { OFFER(D2) && !holds(D2, F1) -> SECOND(D2, 1) }
    :: d_step { !quiet && !made(Y2) && offer(H) == F2 -> seenY2 = has[H] & CONTROL; say(H, Y2) }
    :: d_step { !made(T2) && again == D1 && againNew == isNew && ready2(D1) -> firstWins = false; SECOND_TRANSFER(D1) }
    :: d_step { !made(T2) && again == D1 && againNew == isNew && ready2(D1) -> firstWins = true; SECOND_TRANSFER(D1) }
    :: d_step { !made(T2) && again == D2 && ready2(D2) -> firstWins = false; SECOND_TRANSFER(D2) }
    :: d_step { !made(T2) && again == D2 && ready2(D2) -> firstWins = true; SECOND_TRANSFER(D2) }
#endif
    /* Every operation reaches every replica at some time. */
    EACH(D1)
    EACH(D2)
    EACH(H)
    ALONE(D1)
#ifndef LIE
    FROM(D1, D2)
    FROM(D1, H)
#endif
#ifdef TWO
    FROM(D2, D1)
    FROM(D2, H)
#endif
    ALONE(D2)
#ifdef LIE
#define LIES(r) \
    :: d_step { may(r, B, seenB) -> hear(r, B) } \
    :: d_step { may(r, L, seenL) -> hear(r, L) }
    LIES(D1)
    LIES(D2)
    LIES(H)
    :: d_step { may(H, X, 0) -> hear(H, X) }
#else
#define SECONDS(r) \
    :: d_step { may(r, F2, seenF2) -> hear(r, F2) } \
    :: d_step { may(r, T2, seenT2) -> hear(r, T2) } \
    :: d_step { may(r, T3, seenT3) -> hear(r, T3) }
    SECONDS(D1)
    SECONDS(D2)
    SECONDS(H)
#endif
    :: else -> settle(); break
    fi;
    d_step { check() } }
    od
}

import Identity
import Wire

/// The numbers that bound synchronisation, each with its reason; a test or a simulation may pass others.
package struct SyncLimits: Sendable {
    /// Bytes of runs a peer may have received and not acknowledged yet: enough to keep a gigabit link busy over 50 ms.
    package var windowByteCount = 8 << 20
    /// Runs a peer may have received and not acknowledged yet: small ones cost more than their bytes.
    package var windowRunCount = 256
    /// Runs that are read from the store ahead of sending, for each session: one is sent while the next is read.
    package var readAheadCount = 2
    /// Bytes that one run should have: large enough for one fsync to carry thousands of records, small enough that a
    /// live change behind it waits little.
    package var runByteCount = 1 << 20
    /// Time between two comparisons with a peer in sync, in milliseconds; the jitter is a fifth.
    ///
    /// The two sides take turns, so that each sees for itself the sizes that the other holds.
    package var antiEntropyMilliseconds: UInt64 = 60_000
    /// The time after the opening at which the answering side compares first, in milliseconds: by then the comparison
    /// of the side that dialled has found most differences.
    package var answerMilliseconds: UInt64 = 5_000
    /// The time after a difference at which the two are compared again, in milliseconds, so that "in sync" is known
    /// soon after it is true; doubled each time while nothing comes through.
    package var followUpMilliseconds: UInt64 = 2_000
    /// How long the oldest run may go unanswered, and how long a zone on which two nodes are at work is not compared
    /// again, in milliseconds: more than a disk and a link that work need for a run.
    package var stallMilliseconds: UInt64 = 30_000
    /// How long a question for a zone's state may go unanswered before it is asked again, in milliseconds.
    package var askMilliseconds: UInt64 = 5_000
    /// The longest time until a peer is asked again about a zone in which operations wait, in milliseconds: usually
    /// the missing operations are on their way, and need no question.
    package var waitingMilliseconds: UInt64 = 600_000
    /// Zones that could not be made here and are tried again, for each session; others come again in the next
    /// session.
    package var unmadeZoneCountMax = 256
    /// How long a run that a peer took without keeping it is not sent to it again, in milliseconds.
    package var declinedMilliseconds: UInt64 = 600_000
    /// The greatest age of the last message of a peer that is treated as present, in milliseconds.
    package static let presenceMilliseconds: UInt64 = 2_000
    /// Time between two pings, in milliseconds.
    package var pingMilliseconds: UInt64 = 20_000
    /// The silence after which a session is treated as dead, in milliseconds: two pings and a half.
    package var silenceMilliseconds: UInt64 = 50_000
    /// How long a paused peer is left alone before it is tried again, in milliseconds.
    package var pauseMilliseconds: UInt64 = 15_000
    /// How long an unconfirmed device may stay connected, in milliseconds: long enough to show an account log.
    package var confirmationMilliseconds: UInt64 = 10_000
    /// The time that a session continues after the device received the account's present key, where the logs differ,
    /// in milliseconds: long enough for both to receive the entries that they lack.
    package var callAgainMilliseconds: UInt64 = 1_000
    /// The time that a session with an account with which nothing is shared any more continues, in milliseconds: long
    /// enough to send the reason.
    package var leavingMilliseconds: UInt64 = 3_000
    /// The longest time that a removed device of this account may be connected while it delivers its late writes, in
    /// milliseconds.
    package var lateWritesMilliseconds: UInt64 = 60_000
    /// The time that an operation of another device waits before it is passed on, in milliseconds: its author usually
    /// delivers it to all peers first, and an acknowledgement received in the meantime saves the sending.
    package var forwardDelayMilliseconds: UInt64 = 60
    /// The time that passing on waits after a sign that another device delivers to the peer, in milliseconds.
    package var fedMilliseconds: UInt64 = 1_000
    /// The longest delay of passing on by such signs, in milliseconds: the delivery may be of something else.
    package var longestForwardDelayMilliseconds: UInt64 = 10_000
    /// The maximum total of bytes of incomplete messages in parts, over all sessions whose account or device is not
    /// known.
    package var strangerPartsByteCountMax = 4 << 20
    /// How long a message of such a session may take from its first part to its last, in milliseconds.
    package var strangerPartsMilliseconds: UInt64 = 30_000
    /// Sessions kept at the same time; further ones are refused.
    package var sessionCountMax = 64
    /// Sessions kept at the same time with devices that are not known as this account's own.
    package var foreignSessionCountMax = 48
    /// Such sessions kept with devices of unknown accounts, which receive public zones.
    package var strangerSessionCountMax = 16
    /// Such sessions kept with devices that claim to be of one account.
    package var foreignSessionCountPerAccountMax = 16
    /// The time that a request to write in a public zone may go unanswered, in milliseconds: a caller waits for it.
    package var guestWriteMilliseconds: UInt64 = 10_000
    /// Such requests of this device that may be on their way at the same time: each holds its message of up to 1 MiB.
    package var guestOrderCountMax = 16
    /// The number of such requests of others that may wait behind one of the same session, over all sessions; each
    /// session may have one request in progress in addition.
    package var guestWaitingCountMax = 8
    /// Bytes of account logs that came ahead of such requests, of all sessions together whose account is not known: one log of any allowed
    /// length fits.
    package var guestLogsByteCountMax = AccountLog.byteCountMax
    /// The time that a page of a live set may go unanswered, in milliseconds.
    package var liveSetAnswerMilliseconds: UInt64 = 30_000
    /// The pause before a peer that could not send a live set is asked again, in milliseconds: it may have adopted a
    /// checkpoint since.
    package var liveSetRetryMilliseconds: UInt64 = 600_000
    /// The time after which it is requested again if a run cannot be taken without it and the zone has grown since,
    /// in milliseconds.
    package var liveSetGrownMilliseconds: UInt64 = 60_000
    /// Devices for which it is remembered that they were asked about a zone.
    package var liveSetAskCountMax = 64
    /// Complete lists of live sets that are kept until a run comes again, or their zone is complete.
    package var liveSetCountMax = 4
    /// Bytes of chunks of payloads that may be on their way from one session: 2 MiB, behind which live traffic waits some milliseconds.
    package var payloadWindowByteCount = 2 << 20
    /// Payloads with parts on their way at the same time; others wait for these.
    package var payloadActiveCountMax = 4
    /// Payloads that are known to the core as wanted; the store knows the rest.
    package var payloadWantCountMax = 64
    /// How long a part of a payload may go without a sign of it, in milliseconds.
    package var payloadAnswerMilliseconds: UInt64 = 30_000
    /// The pause before a peer that lacks a requested part is asked again, in milliseconds; doubled each time.
    package var payloadRetryMilliseconds: UInt64 = 2_000
    /// The longest such time, in milliseconds: it may have got it meanwhile.
    package var payloadRetryMillisecondsMax: UInt64 = 60_000
    /// Bytes of payloads that are read for a peer at the same time, with further requests answered as missing: 8 MiB, with which a window of
    /// small chunks fits while each chunk is counted as a large one.
    package var payloadServingByteCount = 8 << 20
    /// Payloads whose chunks readers wait for at the same time.
    package var payloadUrgeCountMax = 16
    /// The time after which a reader that has not asked again is taken to have gone, in milliseconds: the longest wait of a request.
    package var payloadUrgeMilliseconds: UInt64 = 60_000
    /// The pause before payloads that no session had are looked for again, where more are wanted than the core knows of, in milliseconds;
    /// doubled each time that none was had.
    package var payloadRoundMilliseconds: UInt64 = 60_000
    /// The longest such time, in milliseconds.
    package var payloadRoundMillisecondsMax: UInt64 = 3_600_000
    /// Payloads of which it is remembered until then why they cannot be had, for people.
    package var payloadAsideCountMax = 4_096
    /// How long a message may be on its way before a relay is asked to keep its payload, in milliseconds.
    package var custodyGraceMilliseconds: UInt64 = 10_000
    /// The time after which a relay without room is asked again, in milliseconds.
    package var custodyRetryMilliseconds: UInt64 = 600_000
    /// The time after which all contents of records are looked through again for those that relays are to keep, in milliseconds.
    package var custodyPassMilliseconds: UInt64 = 3_600_000
    /// The most jobs for relays that the core knows of; the store knows the rest.
    package var custodyJobCountMax = 256
    /// Bytes of payloads that are kept for others at most.
    package var custodyByteCountMax = Custody.byteCountMax
    /// Requests on one session that a relay has not answered.
    package var custodyAskedCountMax = 16
    /// Contents that are being evicted at the same time.
    package var evictionCountMax = 64
    /// Questions of people about the holders of contents that are asked at the same time.
    package var holderQuestionCountMax = 16
    /// The time from the beginning of a session until its device is first asked about contents, in milliseconds: what comes at the beginning
    /// of a session has gone by then; `nil` for a device that does not ask by itself.
    package var holderDelayMilliseconds: UInt64? = 60_000
    /// The rest behind a round of such questions that has found a content, in milliseconds; doubled behind each one that has found none.
    package var holderRestMilliseconds: UInt64 = 600_000
    /// The longest such rest, in milliseconds: in it a device that is in step reads its list of contents once for each other one.
    package var holderRestMillisecondsMax: UInt64 = 3_600_000
    /// Contents about which one device is asked in a minute: a full request every two seconds.
    package var holderAskedCountPerMinute: UInt64 = 1_920
    /// How long the answer to such a request is waited for, in milliseconds.
    package var holderAnswerMilliseconds: UInt64 = 30_000
    /// How long promises are waited for before an eviction is given up, in milliseconds: a caller waits for it.
    package var evictionMilliseconds: UInt64 = 10_000
    /// How long devices are waited for that people ask about a content, in milliseconds.
    package var holderQuestionMilliseconds: UInt64 = 3_000
    /// The time after which another device is asked in place of one that has not answered, in milliseconds.
    package var promisePatienceMilliseconds: UInt64 = 2_000
    /// How long a promise is used after it was asked for, in milliseconds: a small part of the time for which it stands.
    package var promiseUsableMilliseconds: UInt64 = 15 * 60 * 1_000
    /// Requests for promises on one session that are not answered.
    package var promiseAskedCountMax = 16
    /// Acknowledged logs that are saved in one transaction.
    package var acknowledgementCountMax = 1_000

    /// The production numbers.
    package init() {}

    /// Bytes of runs that a peer may have sent without an answer before it is treated as ignoring the window.
    ///
    /// The limit is generous, since the sender counts bytes roughly, reads some runs ahead, and a run may be much
    /// larger than wanted.
    var receivedByteCountMax: Int { 4 * windowByteCount + readAheadCount * Limits.messageByteCountMax }

    /// Bytes of payloads that may be counted as being read for a peer: one request more than the limit.
    package var payloadServingByteCountMax: Int {
        payloadServingByteCount + Limits.chunkRequestCountMax * Limits.chunkByteCountMax
    }
}

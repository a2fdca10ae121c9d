import Mailbox
import TestSupport
import Wire

/// Admissions, mailboxes and parcels by number.
enum Samples {
    static func bytes(_ number: Int, _ count: Int) -> [UInt8] {
        var generator = SeededGenerator(seed: UInt64(number))
        // Large ones repeat themselves: drawing each byte takes seconds.
        let some = generator.bytes(min(count, 4_093))
        var bytes: [UInt8] = []
        while bytes.count + some.count <= count { bytes += some }
        return bytes + some.prefix(count - bytes.count)
    }

    static func digest(_ number: Int) -> Digest32 {
        var generator = SeededGenerator(seed: UInt64(number))
        return Digest32(
            word0: generator.next(),
            word1: generator.next(),
            word2: generator.next(),
            word3: generator.next()
        )
    }

    static func mailbox(_ number: Int) -> MailboxID { MailboxID(digest(1_000 + number)) }

    static func admission(_ number: Int, quota: UInt64 = 1 << 20, since: UInt64 = 1) -> Admission {
        Admission(id: AdmissionID(digest(2_000 + number)), name: "account \(number)", quota: quota, since: since)
    }

    static func parcel(_ number: Int, byteCount: Int = 4_096) -> SealedParcel {
        SealedParcel(bytes: bytes(3_000 + number, byteCount))
    }

    /// The number of bytes that one of those parcels counts.
    static let size = UInt64(4_096) + ParcelDeposit.rowByteCount

    /// A room that is never full.
    static let wide = ParcelRoom(total: 1 << 40, mailboxShare: 1)

    static func value(_ number: Int) -> Hash { Hash(digest(4_000 + number)) }

    static func claim(
        _ slot: Int,
        by account: Int,
        under admission: Int = 1,
        until: UInt64 = 1_000,
        room: ParcelRoom = wide
    ) -> SlotClaim {
        SlotClaim(
            admission: self.admission(admission).id,
            slot: SlotID(digest(5_000 + slot)),
            value: value(account),
            until: until,
            room: room
        )
    }

    static func deposit(
        _ parcel: Int,
        in mailbox: Int = 1,
        under admission: Int = 1,
        until: UInt64 = 1_000,
        room: ParcelRoom = wide
    ) -> ParcelDeposit {
        ParcelDeposit(
            admission: self.admission(admission).id,
            mailbox: self.mailbox(mailbox),
            parcel: self.parcel(parcel),
            until: until,
            room: room
        )
    }

    static func notice(_ parcel: Int, in mailbox: Int = 1) -> ParcelNotice {
        ParcelNotice(mailbox: self.mailbox(mailbox), parcel: self.parcel(parcel).id, byteCount: 4_096)
    }
}

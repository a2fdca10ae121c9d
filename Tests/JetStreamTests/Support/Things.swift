import Mailbox
import TestSupport
import Wire

/// Admissions, mailboxes and parcels by number.
enum Things {
    static func digest(_ number: Int) -> Digest32 {
        var generator = SeededGenerator(seed: UInt64(number))
        return Digest32(
            word0: generator.next(),
            word1: generator.next(),
            word2: generator.next(),
            word3: generator.next()
        )
    }

    static func admission(_ number: Int = 1, quota: UInt64 = 1 << 30) -> Admission {
        Admission(id: AdmissionID(digest(number)), name: "account \(number)", quota: quota, since: UInt64(number))
    }

    static func mailbox(_ number: Int = 1) -> MailboxID { MailboxID(digest(1_000 + number)) }

    static func parcel(_ number: Int, byteCount: Int = 4_096) -> SealedParcel {
        var generator = SeededGenerator(seed: UInt64(9_000 + number))
        return SealedParcel(bytes: generator.bytes(byteCount))
    }

    static let size = UInt64(4_096) + ParcelDeposit.rowByteCount

    static func deposit(
        _ number: Int,
        in mailbox: Int = 1,
        under admission: Int = 1,
        byteCount: Int = 4_096,
        until: UInt64 = 1_000
    ) -> ParcelDeposit {
        ParcelDeposit(
            admission: self.admission(admission).id,
            mailbox: self.mailbox(mailbox),
            parcel: parcel(number, byteCount: byteCount),
            until: until,
            room: ParcelRoom(total: 1 << 40, mailboxShare: 1)
        )
    }
}

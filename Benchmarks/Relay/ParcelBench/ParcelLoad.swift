import Mailbox
import TestSupport
import Wire

/// Parcels by number, and the mailboxes and admissions that they are spread over; they are not kept, so that a
/// million takes no memory here.
struct ParcelLoad: Sendable {
    let count: Int
    let byteCount: Int
    let mailboxes: [MailboxID]
    let admissions: [Admission]
    private let until: UInt64

    init(count: Int, byteCount: Int, mailboxCount: Int, admissionCount: Int) {
        self.count = count
        self.byteCount = byteCount
        mailboxes = (0..<mailboxCount).map { MailboxID(Self.digest(.max / 2 + UInt64($0))) }
        // The usual quota, or twice the expected size: with a million parcels the share of a mailbox is looked at
        // with each, as in production.
        let each = UInt64(count / admissionCount + 1) * (UInt64(byteCount) + ParcelDeposit.rowByteCount)
        // Few mailboxes would have more than a quarter each.
        let share = 4 * UInt64(count / mailboxCount + 1) * (UInt64(byteCount) + ParcelDeposit.rowByteCount)
        let quota = max(Admission.usualQuota, 2 * each, 2 * share)
        admissions = (0..<admissionCount).map { number in
            let id = AdmissionID(Self.digest(.max / 4 + UInt64(number)))
            return Admission(id: id, name: "account \(number)", quota: quota, since: UInt64(number))
        }
        // No parcel may expire before all are taken; so the end is fixed in the year 2100, without a clock.
        until = 4_102_444_800_000
    }

    private static func digest(_ seed: UInt64) -> Digest32 {
        var generator = SeededGenerator(seed: seed)
        return Digest32(
            word0: generator.next(),
            word1: generator.next(),
            word2: generator.next(),
            word3: generator.next()
        )
    }

    /// One of the parcels; each mailbox is under one admission, as an account's are.
    func deposit(_ number: Int) -> ParcelDeposit {
        var generator = SeededGenerator(seed: UInt64(number))
        let mailbox = number % mailboxes.count
        return ParcelDeposit(
            admission: admissions[mailbox % admissions.count].id,
            mailbox: mailboxes[mailbox],
            parcel: SealedParcel(bytes: generator.fill(byteCount)),
            until: until,
            room: ParcelRoom(total: .max / 2)
        )
    }
}

extension SeededGenerator {
    /// Bytes, eight at a time.
    fileprivate mutating func fill(_ count: Int) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
            var offset = 0
            while offset < count {
                withUnsafeBytes(of: next()) { word in
                    let some = min(8, count - offset)
                    UnsafeMutableRawBufferPointer(
                        rebasing: UnsafeMutableRawBufferPointer(buffer)[offset..<offset + some]
                    )
                    .copyMemory(from: UnsafeRawBufferPointer(rebasing: word[..<some]))
                    offset += some
                }
            }
            filled = count
        }
    }
}

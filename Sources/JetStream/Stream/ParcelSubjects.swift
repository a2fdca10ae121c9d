import Mailbox
import Wire

/// A parcel in a mailbox.
struct ParcelKey: Hashable, Sendable {
    /// The parcel's mailbox.
    var mailbox: MailboxID
    /// The parcel's id.
    var parcel: ParcelID
}

/// The subjects of a relay's stream: one for each thing, so that nothing takes another one's place.
///
/// | subject | holds |
/// |---|---|
/// | `….a.ADMISSION` | the admission, and the amount kept under it |
/// | `….b.MAILBOX.PARCEL.INDEX` | the parcel's bytes, in pieces: servers take no messages as large as the largest parcel |
/// | `….n.MAILBOX.PARCEL.0` | its notice: admission, size, expiry |
/// | `….u.MAILBOX.PARCEL.0` | its expiry, if it was put again |
/// | `….s.SLOT` | a slot: admission, content, expiry |
/// | `….f` | the format of all this |
struct ParcelSubjects: Sendable {
    /// The first token of all: the stream's name.
    let prefix: String

    /// Everything.
    var all: [String] { ["\(prefix).>"] }

    /// The format.
    var format: String { "\(prefix).f" }

    /// All admissions.
    var admissions: String { "\(prefix).a.*" }

    /// All notices.
    var notices: String { "\(prefix).n.>" }

    /// Everything that says until when a parcel that was put again is kept.
    var prolongations: String { "\(prefix).u.>" }

    /// An admission.
    func admission(_ id: AdmissionID) -> String { "\(prefix).a.\(id.text)" }

    /// The maximum size of a piece in bytes; servers take a million unless configured otherwise.
    static let pieceByteCount = 524_288

    /// All pieces of a parcel's bytes.
    func pieces(_ key: ParcelKey) -> String { "\(prefix).b.\(key.mailbox.text).\(key.parcel.text).*" }

    /// A piece of a parcel's bytes.
    func piece(_ index: Int, of key: ParcelKey) -> String {
        "\(prefix).b.\(key.mailbox.text).\(key.parcel.text).\(index)"
    }

    /// A parcel's notice.
    func notice(_ key: ParcelKey) -> String { "\(prefix).n.\(key.mailbox.text).\(key.parcel.text).0" }

    /// The subject with the time until which a parcel that was put again is kept.
    func prolongation(_ key: ParcelKey) -> String { "\(prefix).u.\(key.mailbox.text).\(key.parcel.text).0" }

    /// All notices of a mailbox.
    func notices(in mailbox: MailboxID) -> String { "\(prefix).n.\(mailbox.text).*.0" }

    /// All that there is of a parcel, so that it goes at once.
    func everything(of key: ParcelKey) -> String { "\(prefix).*.\(key.mailbox.text).\(key.parcel.text).*" }

    /// All slots.
    var slots: String { "\(prefix).s.*" }

    /// A slot.
    func slot(_ id: SlotID) -> String { "\(prefix).s.\(id.text)" }

    /// The slot that a subject is of; `nil` when it is of none.
    func slot(of subject: String) -> SlotID? {
        let tokens = subject.split(separator: ".")
        guard tokens.count == 3, tokens[1] == "s" else { return nil }
        return SlotID(text: String(tokens[2]))
    }

    /// The admission that a subject is of; `nil` when it is of none.
    func admission(of subject: String) -> AdmissionID? {
        let tokens = subject.split(separator: ".")
        guard tokens.count == 3, tokens[1] == "a" else { return nil }
        return AdmissionID(text: String(tokens[2]))
    }

    /// The parcel that a subject is of; `nil` when it is of none.
    func key(of subject: String) -> ParcelKey? {
        let tokens = subject.split(separator: ".")
        guard tokens.count == 5, let mailbox = MailboxID(text: String(tokens[2])),
            let parcel = ParcelID(text: String(tokens[3]))
        else { return nil }
        return ParcelKey(mailbox: mailbox, parcel: parcel)
    }
}

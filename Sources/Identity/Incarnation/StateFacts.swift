/// The files of a state directory as a start finds them, before it makes any.
///
/// They are a set: the device's keys, the account's secrets and log, the key of the store, the store and its sentinel belong
/// to each other, and each of them shows that the others were there.
package struct StateFacts: Hashable, Sendable {
    /// A file that a start asks for; the raw value is its path below the state directory.
    package enum File: String, Hashable, Sendable, CaseIterable {
        case deviceKey = "keys/device.key"
        case accountKey = "keys/account.key"
        case accountLog = "keys/account.log"
        case storeKey = "store.key"
        case store = "store/kairan.db"
    }

    /// The state in which a file was found.
    package enum Part: Hashable, Sendable, CaseIterable {
        /// It is not there.
        case missing
        /// It is empty, cut short or changed.
        case damaged
        /// It is there and whole.
        case present
    }

    /// The agreement of the files of `keys`; determined only when all three exist and are whole.
    package enum Agreement: Hashable, Sendable, CaseIterable {
        /// They belong together.
        case whole
        /// The secrets are those of another account than the one whose log is there.
        case otherAccount
        /// The account never had the device of the keys.
        case otherDevice
        /// The log lacks an entry that the sentinel names: it is older than the one that the device had.
        case older
    }

    /// Notes that a person or an earlier start has left.
    package struct Notes: OptionSet, Hashable, Sendable {
        /// One bit a note.
        package let rawValue: UInt8

        /// Takes over bits.
        package init(rawValue: UInt8) { self.rawValue = rawValue }

        /// Keys and account are being made, and nothing has been done under them yet: the first start that made them did not
        /// come to its end, or a person wants the device to begin again.
        package static let founding = Notes(rawValue: 1)
        /// A person wants to go on with the files that are left.
        package static let lossAccepted = Notes(rawValue: 2)
        /// An earlier start found a loss that nothing has made good yet.
        package static let recovering = Notes(rawValue: 4)
    }

    /// `keys/device.key`.
    package var deviceKey: Part
    /// `keys/account.key`.
    package var accountKey: Part
    /// `keys/account.log`.
    package var accountLog: Part
    /// The agreement of these three files.
    package var agreement: Agreement
    /// Whether anything else is there that only a device which was started before has: its certificate, recovery words,
    /// enrolment tokens, invitations, the logs of other accounts, a relay's key.
    package var hasTraces: Bool
    /// `store.key`.
    package var storeKey: Part
    /// The store; one in which no life has begun is as good as none.
    package var store: IncarnationDecision.StoreState
    /// The sentinel.
    package var sentinel: IncarnationDecision.SentinelState
    /// Names this computer, as ``Sentinel/machine``.
    package var machine: [UInt8]
    /// Whether the account has another active device, from which lost data can be fetched.
    package var canFetch: Bool
    /// Notes that a person or an earlier start has left.
    package var notes: Notes

    /// Collects the facts; see the properties of the same names.
    package init(
        deviceKey: Part,
        accountKey: Part,
        accountLog: Part,
        agreement: Agreement,
        hasTraces: Bool,
        storeKey: Part,
        store: IncarnationDecision.StoreState,
        sentinel: IncarnationDecision.SentinelState,
        machine: [UInt8],
        canFetch: Bool,
        notes: Notes
    ) {
        self.deviceKey = deviceKey
        self.accountKey = accountKey
        self.accountLog = accountLog
        self.agreement = agreement
        self.hasTraces = hasTraces
        self.storeKey = storeKey
        self.store = store
        self.sentinel = sentinel
        self.machine = machine
        self.canFetch = canFetch
        self.notes = notes
    }

    /// The three files of `keys` that make a device of an account.
    var keys: [(file: File, part: Part)] {
        [(.deviceKey, deviceKey), (.accountKey, accountKey), (.accountLog, accountLog)]
    }

    /// Whether there is nothing that only a device which was started before has.
    var isBlank: Bool {
        keys.allSatisfy { $0.part == .missing } && !hasTraces && storeKey == .missing && store == .missing
            && sentinel == .missing
    }
}

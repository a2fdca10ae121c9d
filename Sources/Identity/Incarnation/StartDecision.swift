/// The decision of a device about the state directory that it finds: one decision about all files together, which are there,
/// missing, damaged or older than they were.
///
/// The absence of one file of a set is damage. A first start is when nothing at all is there; keys, secrets and account are
/// never made in the place of lost ones, and no device is *ready* while it lacks data that it had. The table of all
/// combinations is in `docs/operations/store.md`.
package enum StartDecision: Hashable, Sendable {
    /// Make the missing ones of the device's keys and the account.
    case found(IncarnationDecision)

    /// Keys and account are there: go on.
    case resume(IncarnationDecision, lack: Lack?)

    /// Change nothing and do not start.
    case refuse(Refusal)

    /// Data that a device lacks when it starts.
    package enum Lack: Hashable, Sendable {
        /// The store is gone, or may lack data that it had; the other devices have it.
        case fetched
        /// The store is older than it was, and the account has no other device.
        case older
    }

    /// Why a device does not start.
    package enum Refusal: Hashable, Sendable {
        /// Files of the device and its account are missing while others, or the store, are there.
        case keysMissing([StateFacts.File])
        /// Files are empty, cut short or changed.
        case damaged([StateFacts.File])
        /// The account's secrets are not those of the account whose log is there.
        case otherAccount
        /// The device is none of the account's.
        case otherDevice
        /// The account's log is older than it was, and no other device has the entries.
        case accountOlder
        /// The store has secrets, and their key is missing.
        case storeKeyMissing
        /// The store is gone, and no other device has its contents.
        case storeMissing
    }

    /// Decides how a device starts.
    /// - Parameter facts: The state directory as it was found.
    /// - Returns: The decision.
    package static func decide(_ facts: StateFacts) -> StartDecision {
        let damaged = damage(of: facts)
        guard damaged.isEmpty else { return .refuse(.damaged(damaged)) }
        let missing = facts.keys.filter { $0.part == .missing }.map(\.file)
        if facts.isBlank { return .found(.firstStart) }
        if facts.notes.contains(.founding) {
            if let refusal = refusal(ofStoreKey: facts) { return .refuse(refusal) }
            return .found(foundingLife(facts, hasKeys: missing.isEmpty))
        }
        guard missing.isEmpty else { return .refuse(.keysMissing(missing)) }
        switch facts.agreement {
        case .otherAccount: return .refuse(.otherAccount)
        case .otherDevice: return .refuse(.otherDevice)
        case .older where !facts.canFetch && !facts.notes.contains(.lossAccepted): return .refuse(.accountOlder)
        case .older, .whole: break
        }
        if let refusal = refusal(ofStoreKey: facts) { return .refuse(refusal) }
        return resumption(facts)
    }

    /// The files that are there and cannot be used.
    private static func damage(of facts: StateFacts) -> [StateFacts.File] {
        var damaged = facts.keys.filter { $0.part == .damaged }.map(\.file)
        if facts.storeKey == .damaged { damaged.append(.storeKey) }
        if facts.store == .unreadable { damaged.append(.store) }
        return damaged
    }

    private static func refusal(ofStoreKey facts: StateFacts) -> Refusal? {
        guard case .present = facts.store, facts.storeKey == .missing else { return nil }
        return .storeKeyMissing
    }

    /// The life of a store whose keys are being made.
    private static func foundingLife(_ facts: StateFacts, hasKeys: Bool) -> IncarnationDecision {
        // A first start that ended before its first commit has left no store to be lost.
        guard facts.store != .missing else { return .firstStart }
        return life(facts, hasKeys: hasKeys)
    }

    private static func resumption(_ facts: StateFacts) -> StartDecision {
        let isAccepted = facts.notes.contains(.lossAccepted)
        let life = life(facts, hasKeys: true)
        switch life {
        case .recovering, .firstStart:
            guard facts.canFetch || isAccepted else { return .refuse(.storeMissing) }
            return .resume(life, lack: facts.canFetch ? .fetched : nil)
        case .renew(let reason) where !isAccepted:
            if facts.canFetch { return .resume(life, lack: .fetched) }
            return .resume(life, lack: reason.showsLoss || facts.notes.contains(.recovering) ? .older : nil)
        case .continue, .renew:
            if facts.canFetch, facts.agreement == .older { return .resume(life, lack: .fetched) }
            guard facts.notes.contains(.recovering), !isAccepted else { return .resume(life, lack: nil) }
            return .resume(life, lack: facts.canFetch ? .fetched : .older)
        }
    }

    private static func life(_ facts: StateFacts, hasKeys: Bool) -> IncarnationDecision {
        IncarnationDecision.decide(
            hasKeys: hasKeys,
            store: facts.store,
            sentinel: facts.sentinel,
            machine: facts.machine
        )
    }
}

extension IncarnationDecision.Reason {
    /// Whether the reason shows that commits which this device had made are not in the store.
    var showsLoss: Bool {
        switch self {
        case .sentinelAhead, .otherIncarnation, .behindPeer: true
        case .keysMissing, .sentinelMissing, .sentinelDamaged, .otherMachine, .fork: false
        }
    }
}

extension StartDecision.Refusal {
    /// Returns the fault, the place and the way out; each way out is a command that exists, or a file to restore.
    /// - Parameter directory: The state directory.
    /// - Returns: A sentence without a full stop.
    package func words(in directory: String) -> String {
        let anew = "`kairand begin-anew --state \(directory)`"
        let accept = "`kairand accept-loss --state \(directory)`"
        return switch self {
        case .keysMissing(let files):
            "\(Self.list(files)) missing in \(directory), while other files of this device are there; nothing was made in"
                + " their place. Restore them. If they are lost for good, \(anew) makes this a new device of a new account,"
                + " with the records that are in its store"
        case .damaged(let files):
            "\(Self.list(files)) damaged in \(directory); nothing was made in their place. Restore them from a backup."
                + " If they are lost for good, move them away: the next start then names the command to continue without them"
        case .otherAccount:
            "\(directory)/keys/account.key has the secrets of another account than the one in keys/account.log; restore"
                + " the file that belongs to the other one. If it is lost for good, \(anew) makes this a new device"
        case .otherDevice:
            "\(directory)/keys/device.key is not the key of a device of the account in keys/account.log; restore the file"
                + " that belongs to the other one. If it is lost for good, \(anew) makes this a new device"
        case .accountOlder:
            "\(directory)/keys/account.log is older than the one that this device had: the entries that it lacks, such as"
                + " removals of devices, are nowhere else. Restore a newer one, or continue with this one: \(accept)"
        case .storeKeyMissing:
            "\(directory)/store.key is missing, and the store cannot be used without it; nothing was made in its place."
                + " Restore it. If it is lost for good, \(accept) moves the store aside; then its content comes from the"
                + " account's other devices, if there are any"
        case .storeMissing:
            "the store in \(directory)/store is gone, and the account has no other device that has its content."
                + " Restore kairan.db and kairan.db-wal from a backup. If it is lost for good, \(accept) begins with an"
                + " empty store under the same keys"
        }
    }

    private static func list(_ files: [StateFacts.File]) -> String {
        files.map(\.rawValue).joined(separator: ", ") + (files.count == 1 ? " is" : " are")
    }
}

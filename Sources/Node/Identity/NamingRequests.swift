import Identity
import Sync
import Wire

/// Answers requests about the names of accounts and devices.
struct NamingRequests: NamingAPI {
    let store: CallerStore
    let sync: SyncService

    func accountNames() async throws(NodeError) -> AccountNames {
        try await store.read { try AccountNames(store.committer, $0) }
    }

    func nameAccount(_ name: String) async throws(NodeError) {
        try give(name, to: nil)
    }

    func renameDevice(_ device: DeviceID, to name: String) async throws(NodeError) {
        try give(name, to: device)
    }

    func setPetname(of account: String, _ petname: String?) async throws(NodeError) -> NamedAccountStatus {
        if let petname { try Self.check(naming: petname) }
        return try await store.write { transaction in
            let committer = store.committer
            let account = try store.zones.account(of: account, in: transaction)
            let notice = try Petnames(committer).set(of: account, petname, in: &transaction)
            return Changed(try AccountNames(committer, transaction)[account], notice: notice)
        }
    }

    private func give(_ name: String, to device: DeviceID?) throws(NodeError) {
        try Self.check(naming: name)
        guard store.identity.mayWrite else { throw .readOnly }
        let isNew: Bool
        do {
            isNew = try store.identity.name(device, name)
        } catch AccountError.unknownDevice {
            throw NodeError(
                .deviceUnknown,
                "The account has no device \(device?.text ?? "").",
                fix: "`kairan device ls` lists the devices."
            )
        } catch AccountError.tooManyNames {
            throw NodeError(
                .nameTooMany,
                "This device has given \(AccountLog.namingCountMax) names, the maximum for one device.",
                fix: "Give the name on another device of the account."
            )
        } catch let error as AccountError {
            throw NodeError(
                .forbidden,
                "The account refuses the name: \(error).",
                fix: "Give it on an active device with the role full; `kairan device ls` lists them."
            )
        } catch {
            throw store.told(error)
        }
        if isNew { sync.facts.put(.accountChanged) }
    }

    /// Makes sure that a text may be the name of an account or a device.
    private static func check(naming name: String) throws(NodeError) {
        guard let mistake = Naming.mistake(in: name) else { return }
        let text =
            switch mistake {
            case .byteCount(let count):
                "A name has 1 to \(Limits.namingByteCountMax) bytes, and this one \(count)"
            case .character(let scalar):
                "A name has no character that controls or turns text, and this one U+\(NameRule.hexadecimal(scalar.value))"
            case .blank: "A name has a character that is not a space"
            }
        throw NodeError(.invalidArgument, "\(text).", fix: "Choose another name.")
    }
}

extension AccountNames {
    /// The names of accounts.
    /// - Parameters:
    ///   - committer: The committer, which knows the logs of accounts.
    ///   - transaction: The store, with the petnames.
    /// - Throws: The errors of the store.
    /// - Complexity: O(accounts + petnames).
    init(_ committer: Committer, _ transaction: any NodeTransaction) throws {
        var names = committer.accounts.mapValues { state in
            NamedAccountStatus(
                account: state.account,
                displayName: state.name,
                isThis: state.account == committer.account.account
            )
        }
        for (account, petname) in try Petnames(committer).all(transaction) {
            names[account, default: NamedAccountStatus(account: account)].petname = petname
        }
        self.init(Array(names.values))
    }
}

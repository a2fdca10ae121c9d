import Capabilities
package import Identity
import Records
package import Wire

/// The rights in a zone, from the set of all control operations, as plainly as possible.
///
/// Written from `docs/protocol/control-log.md`, `positions.md` and `pair-zones.md`: sets and recursion, and nothing
/// of the resolution in the core. Results are cached for speed alone. Cuts are sizes here; which history of a forked
/// log is effective is checked elsewhere.
package final class RightsModel {
    /// A control operation.
    package struct Statement {
        /// The operation's place.
        package var place: Dot
        /// The device that signed it.
        package var device: DeviceID
        /// The right under which it was written.
        package var right: Hash
        /// The operations of other control logs that its author had seen.
        package var seen: VersionVector
        /// The hash that names it.
        package var hash: Hash
        /// The statement itself.
        package var body: ControlBody
        /// The capabilities in it whose signatures are valid.
        package var carried: [Hash: Capability]

        func hasSeen(_ dot: Dot) -> Bool {
            dot.actor == place.actor ? dot.counter < place.counter : seen.covers(dot)
        }
    }

    private struct EndingKey: Hashable {
        var right: Hash
        var depth: Int
    }

    let zone: ZoneID
    let statements: [Statement]
    let accounts: [AccountID: AccountState]
    /// The device whose own removal is disregarded; `nil` for the view of all others.
    let ownDevice: DeviceID?
    let tokens: [Hash: Capability]
    /// The successive owners of the zone with their rights; in a pair zone those of both accounts.
    private(set) var owners: [(account: AccountID, right: Hash, end: Statement?)] = []
    /// Whether two accounts own the zone together.
    package let isPair: Bool
    private var ownerStatements: Set<Hash> = []
    private var known: [Hash: Bool] = [:]
    private var endingsKnown: [EndingKey: [Statement]] = [:]

    /// Resolves a control log.
    /// - Parameters:
    ///   - zone: The zone.
    ///   - accountsNamed: The accounts that its genesis names: one, or the two of a pair zone.
    ///   - statements: All control operations that are held.
    ///   - accounts: The states of the accounts by their logs.
    ///   - ownDevice: The device whose own removal is disregarded.
    package init(
        zone: ZoneID,
        owners accountsNamed: [AccountID],
        statements: [Statement],
        accounts: [AccountID: AccountState],
        ownDevice: DeviceID?
    ) {
        (self.zone, self.statements, self.accounts, self.ownDevice) = (zone, statements, accounts, ownDevice)
        tokens = statements.reduce(into: [:]) { tokens, statement in
            tokens.merge(statement.carried) { first, _ in first }
        }
        isPair = accountsNamed.count > 1
        for account in accountsNamed {
            owners.append((account, isPair ? Hash(pairRightOf: account, in: zone) : .zero, nil))
            while let end = nextEnd() {
                owners[owners.count - 1].end = end
                guard case .transfer(let body) = end.body else {
                    owners.append((account, end.hash, nil))
                    continue
                }
                owners.append((body.newOwner, end.hash, nil))
            }
        }
        // An effective statement may make further ones effective, until nothing changes.
        while let next = statements.first(where: { !ownerStatements.contains($0.hash) && ownerCounts($0) }) {
            ownerStatements.insert(next.hash)
            (known, endingsKnown) = ([:], [:])
        }
        (known, endingsKnown) = ([:], [:])
    }

    // MARK: Answers

    /// The present owners: one account, or in a pair zone those that have not left or are back.
    package lazy var present: Set<AccountID> = {
        guard isPair else { return [owners[owners.count - 1].account] }
        let first = Set(owners.map { Hash(pairRightOf: $0.account, in: zone) })
        return Set(
            owners.filter { stay in
                // An account that has left is back once it makes an effective statement under the right that its
                // leave has created.
                stay.end == nil
                    && (first.contains(stay.right) || statements.contains { $0.right == stay.right && counts($0) })
            }.map(\.account)
        )
    }()

    /// The account that speaks under a right; `nil` if the right was never held, or is not known.
    package func account(_ right: Hash) -> AccountID? {
        owners.first { $0.right == right }?.account ?? (isHeld(right) ? tokens[right]?.audience : nil)
    }

    /// Accounts that own or owned the zone, or ever held a right in it.
    package lazy var parties: Set<AccountID> = Set(owners.map(\.account)).union(
        tokens.filter { isHeld($0.key) }.map(\.value.audience)
    )

    /// The capabilities in force now, by the account that has them.
    package lazy var live: [AccountID: [Capability]] = tokens.sorted { $0.key < $1.key }
        .filter { isHeld($0.key) && endings($0.key, leavesAbove: .max).isEmpty }
        .reduce(into: [:]) { $0[$1.value.audience, default: []].append($1.value) }

    /// The highest level of an account now; `nil` for none.
    package func level(of account: AccountID) -> AccessLevel? {
        present.contains(account) ? .admin : live[account]?.map(\.rights.level).max()
    }

    /// Whether a device is an active device of an account, as far as is known.
    func hasActive(_ device: DeviceID, of account: AccountID) -> Bool {
        if case .active = accounts[account]?.standing(of: device) { true } else { false }
    }

    /// Whether the zone's records may be sent to a device at a time; `nil` disregards the time.
    package func mayRead(_ device: DeviceID, of account: AccountID, now: UInt64?) -> Bool {
        // Any device, even if nothing is known of its account.
        if publicAccess.world.contains(.read) { return true }
        guard hasActive(device, of: account) else { return false }
        if mayRead(account, now: now) { return true }
        return publicAccess.authenticated.contains(.read)
    }

    /// The rights of accounts without a capability.
    package lazy var publicAccess: PublicAccess = {
        let all = statements.filter { statement in
            if case .publicAccess = statement.body { counts(statement) } else { false }
        }
        let last = all.filter { statement in !all.contains { isBefore(statement, $0) } }
        let owners = last.filter { isOwnerRight($0.right) }
        let chosen = (owners.isEmpty ? last : owners).max { (past($0), $0.hash) < (past($1), $1.hash) }
        guard case .publicAccess(let access) = chosen?.body else { return .none }
        return access
    }()

    /// The schema of all effective promotions together, in order; `nil` when there is none.
    package lazy var production: (schema: Schema, promotions: Set<Hash>, last: Hash)? = {
        var production: (schema: Schema, promotions: Set<Hash>, last: Hash)?
        for statement in statements.sorted(by: { (past($0), $0.hash) < (past($1), $1.hash) }) {
            // A promotion without a valid schema, or with one that does not fit, has no effect.
            guard case .schema(let bytes) = statement.body, counts(statement), let said = try? Schema(decoding: bytes),
                let joined = try? production.map({ try $0.schema.joined(with: said) }) ?? said
            else { continue }
            production = (joined, (production?.promotions ?? []).union([statement.hash]), statement.hash)
        }
        return production
    }()

    /// The number of operations of a log that may be effective by everything known; `nil` while that is undetermined.
    package func limit(of log: ActorLane, device: DeviceID, under right: Hash) -> UInt64? {
        guard let account = account(right) else { return log.lane == .data ? final(log) : nil }
        guard accounts[account] != nil else { return log.lane == .data ? 0 : nil }
        if log.lane == .data, let token = tokens[right], !isOwnerRight(right), token.rights.level < .append { return 0 }
        return cut(log, device, right, leavesAbove: .max)
    }

    /// The number of effective operations of a data log that reaches its stated end, with the stated root.
    ///
    /// `nil` for a log that ends elsewhere.
    package func statedEnd(of log: ActorLane, device: DeviceID, under right: Hash) -> UInt64? {
        guard let account = account(right), accounts[account] != nil else { return nil }
        let open = cut(log, device, account, endings(right, leavesAbove: .max), right, isOpen: true)
        return open > limit(of: log, device: device, under: right) ?? .max ? open : nil
    }

    /// The held size of a control log, effective or not: transfers and leaves do not cut it.
    package func heldLimit(of log: ActorLane, device: DeviceID, under right: Hash) -> UInt64? {
        guard let account = account(right), accounts[account] != nil else { return nil }
        let revocations = endings(right, leavesAbove: .max).filter { if case .revoke = $0.body { true } else { false } }
        return cut(log, device, account, revocations, right)
    }

    /// Whether an account may learn the records now, whichever of its devices asks.
    package func mayRead(_ account: AccountID, now: UInt64?) -> Bool {
        present.contains(account)
            || live[account]?.contains { $0.rights.level >= .read && $0.isValid(at: now) } ?? false
    }

    /// The times at which an account's rights in force begin and end by the clock.
    func moments(of account: AccountID) -> [UInt64] {
        live[account, default: []].flatMap { [$0.caveats.notBefore, $0.caveats.expires].compactMap { $0 } }
    }

    /// The rights, for people.
    package var text: String {
        let held = live.sorted { $0.key < $1.key }.map { account, tokens in
            let rights = tokens.map { token in
                "\(token.rights.level)" + (token.caveats.expires.map { " until \($0)" } ?? "")
            }
            return "\(account.shortText): \(rights.joined(separator: ", "))"
        }
        return "owners \(present.sorted().map(\.shortText)); \(held.joined(separator: "; "))"
    }

    // MARK: Owners

    private func isOwnerRight(_ right: Hash) -> Bool { owners.contains { $0.right == right } }

    /// The statement that ends the last ownership: a transfer, or in a pair zone a leave.
    private func nextEnd() -> Statement? {
        let (account, right, _) = owners[owners.count - 1]
        let all = statements.filter { statement in
            guard statement.right == right, speaks(statement, account),
                statement.place.counter <= deviceCut(statement.log, statement.device, account, right)
            else { return false }
            switch statement.body {
            case .transfer(let body): return !isPair && body.newOwner != account && isWilling(body, right)
            case .leave: return isPair
            default: return false
            }
        }
        let first = all.filter { statement in !all.contains { isBefore($0, statement) } }
        return first.min { (rank($0, account), $0.hash) < (rank($1, account), $1.hash) }
    }

    /// Whether the account that a transfer names consents to be the owner behind an ownership.
    private func isWilling(_ transfer: OwnershipTransfer, _ right: Hash) -> Bool {
        let consent = transfer.consent.consent
        return consent.zone == zone && consent.ownership == right && transfer.consent.isSigned
            && accounts[consent.account]?.devices[consent.device]?.role == .full
    }

    private func ownerCounts(_ statement: Statement) -> Bool {
        guard let owner = owners.first(where: { $0.right == statement.right }), speaks(statement, owner.account)
        else { return false }
        if statement.hash == owner.end?.hash { return true }
        switch statement.body {
        case .leave, .transfer: return false
        case .grant where isPair, .revoke where isPair, .raiseCut where isPair, .publicAccess where isPair,
            .zoneDeletion where isPair, .transferOffer where isPair:
            return false
        default: return statement.place.counter <= cut(statement.log, statement.device, statement.right, leavesAbove: 0)
        }
    }

    // MARK: Capabilities

    /// The chain of a capability: its ancestors and itself, as the capabilities state them.
    private func chain(_ id: Hash) -> [Hash] {
        guard let token = tokens[id] else { return [] }
        return (token.parent.isZero ? [] : chain(token.parent)) + [id]
    }

    private func isHeld(_ id: Hash) -> Bool { statements.contains { $0.carried[id] != nil && grants($0, id) } }

    private func grants(_ statement: Statement, _ id: Hash) -> Bool {
        guard let token = statement.carried[id], token.resource == .zone(zone),
            token.parent == (isOwnerRight(statement.right) ? .zero : statement.right), counts(statement),
            let account = account(statement.right), token.issuer == account,
            accounts[account]?.devices[token.signer] != nil
        else { return false }
        if isOwnerRight(statement.right) { return true }
        guard let parent = tokens[statement.right], (try? token.checkNarrows(parent)) != nil else { return false }
        // Whether the authors of the checkpoints are active devices makes no difference here.
        let checkpoints = statements.filter { other in
            if case .checkpoint = other.body { ownerStatements.contains(other.hash) } else { false }
        }
        return checkpoints.contains { position(statement.log, in: $0) >= statement.place.counter }
            || checkpoints.allSatisfy { statement.hasSeen($0.place) }
    }

    /// The statements that end a right; of the account's own leaves, those at a lesser depth of delegation.
    private func endings(_ right: Hash, leavesAbove depth: Int) -> [Statement] {
        if let owner = owners.first(where: { $0.right == right }) { return owner.end.map { [$0] } ?? [] }
        let key = EndingKey(right: right, depth: depth)
        if let known = endingsKnown[key] { return known }
        let chain = chain(right)
        let found = statements.filter { statement in
            switch statement.body {
            case .revoke(let body):
                let isReached = chain.indices.contains { index in
                    body.capabilities.contains(chain[index])
                        && (isOwnerRight(statement.right) || chain[..<index].contains(statement.right))
                }
                return isReached && counts(statement)
            case .leave:
                let leftDepth = self.chain(statement.right).count
                return leftDepth > 0 && leftDepth < depth && leftDepth <= chain.count
                    && tokens[statement.right]?.audience == tokens[right]?.audience && counts(statement)
                    && statements.contains { grants($0, right) && !$0.hasSeen(statement.place) }
            default: return false
            }
        }
        endingsKnown[key] = found
        return found
    }

    // MARK: Cuts

    private func cut(_ log: ActorLane, _ device: DeviceID, _ right: Hash, leavesAbove depth: Int) -> UInt64 {
        let account = owners.first { $0.right == right }?.account ?? tokens[right]?.audience
        guard let account else { return 0 }
        return cut(log, device, account, endings(right, leavesAbove: depth), right)
    }

    private func cut(
        _ log: ActorLane,
        _ device: DeviceID,
        _ account: AccountID,
        _ endings: [Statement],
        _ right: Hash,
        isOpen: Bool = false
    ) -> UInt64 {
        let size = min(deviceCut(log, device, account, right), end(of: log, by: endings, of: right, isOpen: isOpen))
        return max(size, final(log))
    }

    /// The size up to which a log is effective by the statements that end its right.
    private func end(of log: ActorLane, by endings: [Statement], of right: Hash, isOpen: Bool = false) -> UInt64 {
        let corrections = corrections(of: right)
        let isBounded = !isOpen && corrections.contains(where: stands)
        return endings.map { ending in
            var end = position(log, in: ending)
            if isBounded, !stands(ending) {
                end = min(end, corrections.map { position(log, in: $0) }.max() ?? 0)
            }
            for raise in corrections where raise.hasSeen(ending.place) { end = max(end, position(log, in: raise)) }
            return end
        }.min() ?? .max
    }

    /// The owner's corrections of a right's cuts: those of active devices if there are any, else all.
    private func corrections(of right: Hash) -> [Statement] {
        let all = statements.filter { statement in
            guard case .raiseCut(let body) = statement.body, body.capability == right, !isPair else { return false }
            return stands(statement) || ownerStatements.contains(statement.hash)
        }
        let standing = all.filter(stands)
        return standing.isEmpty ? all : standing
    }

    /// Whether the author is an active device of its account, and the account owns the zone.
    private func stands(_ statement: Statement) -> Bool {
        guard let owner = owners.first(where: { $0.right == statement.right }), owner.end == nil else { return false }
        return hasActive(statement.device, of: owner.account) && speaks(statement, owner.account)
    }

    /// The size up to which checkpoints have made a log final.
    private func final(_ log: ActorLane) -> UInt64 {
        statements.reduce(0) { size, statement in
            guard ownerStatements.contains(statement.hash), case .checkpoint = statement.body, stands(statement) else {
                return size
            }
            return max(size, position(log, in: statement))
        }
    }

    /// The effective size of a log by its device's standing in the account, and by statements of the account about a
    /// removed device.
    private func deviceCut(_ log: ActorLane, _ device: DeviceID, _ account: AccountID, _ right: Hash) -> UInt64 {
        if device == ownDevice { return .max }
        guard accounts[account]?.devices[device]?.role == .full else { return 0 }
        if hasActive(device, of: account) { return .max }
        let said = deviceStatements(of: account, under: right)
        let standing = said.filter {
            isAbout(device, $0) && hasActive($0.device, of: account) && isWithinEnds($0, right)
        }
        // Statements of removed devices are used where there is no other, within the size at which others cut their
        // authors' logs.
        let others = said.filter { other in
            isAbout(device, other) && !hasActive(other.device, of: account) && isWithinEnds(other, right)
                && said.filter {
                    isAbout(other.device, $0) && hasActive($0.device, of: account) && isWithinEnds($0, right)
                }
                .sizes(of: other.log, witnesses(of: other.device, account), position)
                .map { other.place.counter <= $0 } ?? true
        }
        return (standing.isEmpty ? others : standing).sizes(of: log, witnesses(of: device, account), position) ?? .max
    }

    private func witnesses(of device: DeviceID, _ account: AccountID) -> Set<DeviceID> {
        accounts[account]?.witnesses(of: device) ?? []
    }

    private func deviceStatements(of account: AccountID, under right: Hash) -> [Statement] {
        statements.filter { statement in
            guard case .deviceCuts = statement.body, statement.right == right else { return false }
            return speaks(statement, account)
        }
    }

    private func isAbout(_ device: DeviceID, _ statement: Statement) -> Bool {
        guard case .deviceCuts(let body) = statement.body, statement.device != device else { return false }
        return body.devices.contains(device)
    }

    /// Whether a statement is within the revocations of its right; nothing else affects it.
    private func isWithinEnds(_ statement: Statement, _ right: Hash) -> Bool {
        if isOwnerRight(right) { return true }
        return statement.place.counter <= end(of: statement.log, by: endings(right, leavesAbove: 0), of: right)
    }

    // MARK: Operations

    private func counts(_ statement: Statement) -> Bool {
        if isOwnerRight(statement.right) { return ownerStatements.contains(statement.hash) }
        if let answer = known[statement.hash] { return answer }
        let answer = participantCounts(statement)
        known[statement.hash] = answer
        return answer
    }

    private func participantCounts(_ statement: Statement) -> Bool {
        guard isHeld(statement.right), let token = tokens[statement.right], speaks(statement, token.audience) else {
            return false
        }
        let depth = chain(statement.right).count
        switch statement.body {
        case .leave: return admits(statement, leavesAbove: depth)
        case .genesis, .checkpoint, .zoneDeletion, .transfer, .transferOffer, .raiseCut: return false
        case .publicAccess, .schema: if token.rights.level < .admin { return false }
        case .epoch, .delivery, .epochAgain: if token.rights.level < .append { return false }
        case .grant, .revoke, .deviceCuts, .keyRequest, .transferAnswer, .unknown: break
        }
        return admits(statement, leavesAbove: depth + 1)
    }

    private func admits(_ statement: Statement, leavesAbove depth: Int) -> Bool {
        statement.place.counter <= cut(statement.log, statement.device, statement.right, leavesAbove: depth)
    }

    private func speaks(_ statement: Statement, _ account: AccountID) -> Bool {
        accounts[account]?.devices[statement.device]?.role == .full
    }

    private func rank(_ statement: Statement, _ account: AccountID) -> Int {
        accounts[account]?.devices[statement.device]?.addedAt ?? .max
    }

    private func past(_ statement: Statement) -> UInt64 {
        statement.seen.entries.filter { $0.actor != statement.place.actor }.map(\.counter)
            .reduce(statement.place.counter) { sum, counter in
                // A liar may claim to have seen more than there can be.
                let (total, isOver) = sum.addingReportingOverflow(counter)
                return isOver ? .max : total
            }
    }

    private func isBefore(_ left: Statement, _ right: Statement) -> Bool {
        right.hasSeen(left.place) && (past(left), left.hash) < (past(right), right.hash)
    }

    /// The size that an operation states for a log, as far as its author can know it.
    private func position(_ log: ActorLane, in statement: Statement) -> UInt64 {
        let size = statement.body.positions.first { $0.key == log }?.size ?? 0
        guard log.lane == .control, size > 0 else { return size }
        return statement.hasSeen(Dot(actor: log.actor, counter: size)) ? size : 0
    }
}

extension RightsModel.Statement {
    fileprivate var log: ActorLane { ActorLane(actor: place.actor, lane: .control) }
}

extension [RightsModel.Statement] {
    /// The size that statements give a log: the least of those of the witnesses, else the greatest of all.
    /// - Returns: `nil` if there are no statements.
    fileprivate func sizes(
        of log: ActorLane,
        _ witnesses: Set<DeviceID>,
        _ position: (ActorLane, RightsModel.Statement) -> UInt64
    ) -> UInt64? {
        let most = Dictionary(grouping: self, by: \.device).mapValues { $0.map { position(log, $0) }.max() ?? 0 }
        return most.filter { witnesses.contains($0.key) }.values.min() ?? most.values.max()
    }
}

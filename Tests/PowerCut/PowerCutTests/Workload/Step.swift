import Sync
import Records
import ReplicaBehaviour
import Wire

/// One job for the store, which the model can do as well.
enum Step: Sendable {
    case createZone
    case write([WriteRequest], wall: UInt64)
    case receive(Run, wall: UInt64)
    case makeCheckpoint(acknowledged: [DeviceID: [LogKey: UInt64]], wall: UInt64)
    case adopt
    case incarnate(Incarnation)
    case setValue(String, [UInt8]?)
    case meet(PeerRow)
    case acknowledge([AcknowledgementRow])
    case account([[UInt8]])
    case leaveAccount
    /// Sets a value and throws.
    case fail(String)

    /// The author whose store it is.
    static let author = TestAuthor(1)

    /// The result that the caller of a job receives.
    enum Outcome: Equatable, Sendable {
        case done(String)
        case refused(String)

        init(_ result: Result<String, any Error>) {
            switch result {
            case .success(let text): self = .done(text)
            case .failure(let error): self = .refused("\(error)")
            }
        }
    }

    /// The job that does it.
    var job: @Sendable (inout any NodeTransaction) throws -> String {
        { transaction in try perform(in: &transaction) }
    }

    /// Performs the step in a transaction of the store.
    func perform(in transaction: inout any NodeTransaction) throws -> String {
        switch self {
        case .setValue(let name, let value): try transaction.setValue(value, named: name)
        case .meet(let peer): try transaction.save(peer)
        case .acknowledge(let rows): try transaction.save(rows)
        case .account(let entries): try transaction.appendAccountEntries(entries)
        case .leaveAccount: try transaction.removeAccountEntries()
        case .fail(let name):
            try transaction.setValue([1], named: name)
            throw Finding("refused")
        default: return try replicate(in: &transaction)
        }
        return ""
    }

    /// Performs the step in the model.
    func perform(in model: inout Model) throws -> String {
        switch self {
        case .setValue(let name, let value): model.values[name] = value
        case .meet(let peer): model.peers[peer.device] = peer.replacing(model.peers[peer.device])
        case .acknowledge(let rows):
            for row in rows {
                let place = Model.Place(device: row.device, key: row.key)
                if (model.acknowledgements[place]?.size ?? 0) < row.size { model.acknowledgements[place] = row }
            }
        case .account(let entries): model.account += entries
        case .leaveAccount: model.account = []
        case .fail: throw Finding("refused")
        default: return try replicate(in: &model.replica)
        }
        return ""
    }

    private func replicate(in transaction: inout some ReplicaTransaction) throws -> String {
        let author = Self.author
        switch self {
        case .createZone:
            try transaction.createTestZone()
            return ""
        case .write(let requests, let wall):
            let commit = try LocalWrites(
                zone: TestZone.id,
                author: author.author,
                wallMilliseconds: wall,
                sign: author.sign
            ).commit(requests, in: &transaction)
            return "\(commit.number ?? 0) \(commit.size) \(commit.changed.map(\.version.text))"
        case .receive(let run, let wall):
            guard case .stored(let applied) = try transaction.receive(run, at: wall) else { return "not stored" }
            return "\(applied.storedCount) \(applied.appliedCount) \(applied.changed.map(\.version.text))"
        case .makeCheckpoint(let acknowledged, let wall):
            let due = try Checkpoints(of: TestZone.id).due(
                acknowledged: acknowledged,
                activeDevices: Set(acknowledged.keys),
                ownDevice: author.author.device,
                nowMilliseconds: .max / 2,
                lastMilliseconds: 0,
                in: transaction
            )
            guard let due else { return "none due" }
            let head = try transaction.commit(.checkpoint(due), by: author, at: wall)
            return "\(due.liveCount) \(head?.head.size ?? 0)"
        case .adopt:
            return "\(try Checkpoints(of: TestZone.id).adoptAndPrune(in: &transaction))"
        case .incarnate(let incarnation):
            try transaction.save(incarnation)
            return ""
        default:
            return ""
        }
    }
}

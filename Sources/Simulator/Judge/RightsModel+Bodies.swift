import Wire

// The parts of operations and capabilities that the model of rights reads.

extension ControlBody {
    /// The positions that the operation states.
    var positions: [LogPosition] {
        switch self {
        case .checkpoint(let body): body.logs
        case .raiseCut(let body): body.cuts
        case .revoke(let body): body.cuts
        case .transfer(let body): body.cuts
        case .leave(let body): body.cuts
        case .deviceCuts(let body): body.cuts
        default: []
        }
    }
}

extension Capability {
    /// Whether the capability is valid at a time; `nil` disregards the time.
    func isValid(at now: UInt64?) -> Bool {
        guard let now else { return true }
        return (caveats.notBefore ?? 0) <= now && now < caveats.expires ?? .max
    }
}

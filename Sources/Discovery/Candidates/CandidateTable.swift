internal import Node

/// The services that mDNS claims to be there, bounded, and the reports about them so far.
///
/// Everything in here comes from unverified senders on the network. The table therefore never grows beyond its bound,
/// reports a thing only when it changed, and forgets the candidates that never answered, then the oldest.
struct CandidateTable {
    /// A service that is not there any more, on one interface.
    struct Withdrawal: Hashable {
        var instanceName: String
        var interfaceName: String
    }

    private struct Candidate {
        /// The number of its arrival, in order.
        var arrival: UInt64
        /// The last report; `nil` before the first, and after a loss.
        var reported: ServiceSighting?
        /// Whether the next answer is reported even if it says nothing new.
        var mustRepeat = false
        /// Whether the running connection to the mDNS daemon has confirmed it.
        var isConfirmed: Bool
        var interfaceName: String

        /// Smaller goes first: those without an answer before those with one, so that a flood of empty claims mostly
        /// displaces itself; then the oldest.
        var evictionOrder: (Int, UInt64) { (reported == nil ? 0 : 1, arrival) }
    }

    /// The number of candidates kept; a home has tens, an office floor may have hundreds of services of one type.
    static let countMax = 256

    private var candidates: [CandidateKey: Candidate] = [:]
    private var arrivals: UInt64 = 0
    private let capacity: Int

    /// An empty table.
    /// - Parameter capacity: How many candidates it keeps, at least 1.
    init(capacity: Int = CandidateTable.countMax) {
        self.capacity = max(1, capacity)
    }

    /// The number of candidates.
    var count: Int { candidates.count }

    /// Whether a candidate is known.
    func contains(_ key: CandidateKey) -> Bool { candidates[key] != nil }

    /// Notes that a service was announced.
    /// - Parameters:
    ///   - key: The service.
    ///   - interfaceName: The interface's name, for people.
    /// - Returns: The candidate that was evicted for it, if any.
    /// - Complexity: O(n) when the table is full.
    mutating func appeared(_ key: CandidateKey, interfaceName: String) -> CandidateKey? {
        if candidates[key] != nil {
            candidates[key]?.isConfirmed = true
            return nil
        }
        var evicted: CandidateKey?
        if candidates.count >= capacity {
            evicted = candidates.min { $0.value.evictionOrder < $1.value.evictionOrder }?.key
            if let evicted { candidates[evicted] = nil }
        }
        arrivals += 1
        candidates[key] = Candidate(
            arrival: arrivals,
            reported: nil,
            isConfirmed: true,
            interfaceName: interfaceName
        )
        return evicted
    }

    /// Takes in where a service is.
    /// - Returns: Whether that is news; unknown candidates and repetitions are not.
    mutating func resolved(_ key: CandidateKey, _ sighting: ServiceSighting) -> Bool {
        guard let candidate = candidates[key] else { return false }
        guard candidate.reported != sighting || candidate.mustRepeat else { return false }
        candidates[key]?.reported = sighting
        candidates[key]?.mustRepeat = false
        return true
    }

    /// Takes in that a known service no longer answers; it stays a candidate, to be asked again.
    /// - Returns: The withdrawal, when it had been reported and no other address of it on that interface is left.
    mutating func fellSilent(_ key: CandidateKey) -> Withdrawal? {
        guard let candidate = candidates[key], candidate.reported != nil else { return nil }
        candidates[key]?.reported = nil
        return withdrawal(of: key, interfaceName: candidate.interfaceName)
    }

    /// Takes in that a service said goodbye or expired.
    /// - Returns: The withdrawal, when it had been reported and no other address of it on that interface is left.
    mutating func vanished(_ key: CandidateKey) -> Withdrawal? {
        guard let candidate = candidates.removeValue(forKey: key), candidate.reported != nil else { return nil }
        return withdrawal(of: key, interfaceName: candidate.interfaceName)
    }

    /// Marks everything as unconfirmed: a new connection to the mDNS daemon begins without knowledge.
    ///
    /// Candidates that it confirms are reported again, which also repairs the view of a slow reader that missed
    /// events.
    mutating func beginAnew() {
        for key in candidates.keys {
            candidates[key]?.isConfirmed = false
            candidates[key]?.mustRepeat = true
        }
    }

    /// The candidates that the present connection has not confirmed.
    var unconfirmed: [CandidateKey] {
        candidates.filter { !$0.value.isConfirmed }.map(\.key)
    }

    /// The candidates on one interface.
    func candidates(on interface: UInt32) -> [CandidateKey] {
        candidates.keys.filter { $0.interface == interface }
    }

    private func withdrawal(of key: CandidateKey, interfaceName: String) -> Withdrawal? {
        let isStillThere = [CandidateKey.Family.ipv4, .ipv6].contains { family in
            var other = key
            other.family = family
            return candidates[other]?.reported != nil
        }
        return isStillThere ? nil : Withdrawal(instanceName: key.instanceName, interfaceName: interfaceName)
    }
}

import FoundationEssentials
import KairanInterface
import Node
import Wire

extension RelayStatus: ResourceView {
    var resource: Relay {
        Relay(
            relay: relay.text,
            address: addresses.first ?? "",
            addresses: addresses,
            state: state,
            own: isOwn,
            accounts: accounts.map(\.text),
            storedBytes: storedByteCount.map { Int(clamping: $0) },
            quotaBytes: quotaByteCount.map { Int(clamping: $0) },
            backend: backend,
            waiting: Int(clamping: waitingCount),
            since: sinceMilliseconds.map(Date.init(milliseconds:))
        )
    }
}

extension AdmissionStatus: ResourceView {
    var resource: Admission { resource(with: nil) }

    /// The admission that was just made: only this answer contains its link.
    func resource(with link: String?) -> Admission {
        Admission(
            admission: admission.text,
            name: name,
            storedBytes: Int(clamping: storedByteCount),
            quotaBytes: Int(clamping: quotaByteCount),
            parcels: Int(clamping: parcelCount),
            passes: Int(clamping: passCount),
            passBytes: Int(clamping: passByteCount),
            backend: backend,
            since: Date(milliseconds: sinceMilliseconds),
            link: link
        )
    }
}

extension RequestObject {
    /// Reads the number of bytes to keep for an account, at most the largest integer that every reader of JSON
    /// represents exactly.
    func quota(_ name: String) throws(NodeError) -> UInt64? {
        guard self[name] != nil else { return nil }
        return UInt64(try number(name, in: 1_048_576...9_007_199_254_740_991, default: 0))
    }
}

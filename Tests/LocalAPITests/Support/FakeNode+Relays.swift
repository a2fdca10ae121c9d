import KairanInterface
import Node
import Wire

extension FakeNode {
    static let relay = RelayStatus(
        relay: RelayID(Digest32(word0: 1, word1: 2, word2: 3, word3: 4)),
        addresses: ["relay.example:7620", "[2001:db8::1]:7620"],
        state: .connected,
        storedByteCount: 4_352,
        quotaByteCount: 1 << 30,
        backend: "sqlite",
        waitingCount: 2,
        sinceMilliseconds: 1_700_000_000_000
    )

    static let admission = AdmissionStatus(
        admission: AdmissionID(Digest32(word0: 5, word1: 6, word2: 7, word3: 8)),
        name: "Ada",
        storedByteCount: 0,
        quotaByteCount: 1 << 30,
        parcelCount: 0,
        backend: "sqlite",
        sinceMilliseconds: 1_700_000_000_000
    )

    func relays() async throws(NodeError) -> [RelayStatus] {
        try enter("relays")
        var silent = Self.relay
        (silent.state, silent.storedByteCount, silent.quotaByteCount, silent.backend) = (.unreachable, nil, nil, nil)
        (silent.isOwn, silent.accounts, silent.sinceMilliseconds) = (false, [Self.participant.account], nil)
        return [Self.relay, silent]
    }

    func useRelay(link: String) async throws(NodeError) -> (relay: RelayStatus, isNew: Bool) {
        try enter("use relay \(link)")
        return (Self.relay, link != "again")
    }

    func forgetRelay(_ relay: String) async throws(NodeError) {
        try enter("forget relay \(relay)")
    }

    func admissions() async throws(NodeError) -> [AdmissionStatus] {
        try enter("admissions")
        return [Self.admission]
    }

    func admit(
        name: String,
        quotaByteCount: UInt64?,
        addresses: [String]
    ) async throws(NodeError) -> (admission: AdmissionStatus, link: String) {
        try enter("admit \(name) \(quotaByteCount.map { "\($0)" } ?? "-") \(addresses)")
        return (Self.admission, "kairan://relay#x")
    }

    func dismiss(_ admission: String) async throws(NodeError) {
        try enter("dismiss \(admission)")
    }
}

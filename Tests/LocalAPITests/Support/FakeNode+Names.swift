import Node
import Wire

extension FakeNode {
    func accountNames() async throws(NodeError) -> AccountNames {
        AccountNames([
            NamedAccountStatus(account: Self.account, displayName: "Alice", isThis: true),
            NamedAccountStatus(account: Self.participant.account, petname: "Bob", displayName: "Robert"),
        ])
    }

    func nameAccount(_ name: String) async throws(NodeError) {
        try enter("nameAccount \(name)")
    }

    func renameDevice(_ device: DeviceID, to name: String) async throws(NodeError) {
        try enter("renameDevice \(device.shortText) \(name)")
    }

    func setPetname(of account: String, _ petname: String?) async throws(NodeError) -> NamedAccountStatus {
        try enter("setPetname \(account) \(petname ?? "none")")
        return NamedAccountStatus(account: Self.participant.account, petname: petname, displayName: "Robert")
    }
}

import Node

extension RecordAPI {
    /// One write on its own.
    func writeOne(_ draft: RecordDraft, zone: String) async throws(NodeError) -> RecordView {
        guard let result = try await write([draft], zone: zone, atomic: true).first else {
            throw NodeError(.internalError, "A write had no result.", fix: "Report this together with the log.")
        }
        return try result.get()
    }
}

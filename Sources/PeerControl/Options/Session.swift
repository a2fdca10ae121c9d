import KairanClient

/// The client, the terminal and the output options of a command.
struct Session {
    let client: DaemonClient
    let terminal: Terminal
    /// Whether to print JSON.
    let isJSON: Bool
    /// The style of the output for people.
    let style: Style

    /// Asks the daemon and shows the answer.
    func show<Value: Decodable>(
        _ request: DaemonRequest,
        as type: Value.Type = Value.self,
        _ text: (Value) -> String
    ) async throws {
        try show(document: await client.document(request), as: type, text)
    }

    /// Shows an answer: as it was received, or as people read it.
    func show<Value: Decodable>(
        document: [UInt8],
        as type: Value.Type = Value.self,
        _ text: (Value) -> String
    ) throws {
        if isJSON {
            try terminal.print(line: document)
        } else {
            try terminal.print(text(DaemonClient.decode(document)))
        }
    }

    /// Shows the result of a request whose answer has no content.
    func show(_ json: JSONValue, _ text: String) throws {
        if isJSON {
            try terminal.print(line: json.encoded)
        } else {
            try terminal.print(text)
        }
    }
}

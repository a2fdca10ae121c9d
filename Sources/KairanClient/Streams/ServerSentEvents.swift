/// Puts the lines of a `text/event-stream` together to events (WHATWG HTML §9.2).
///
/// Kairan's events have an `id` and one `data` line; comments keep the connection alive and are dropped.
package struct ServerSentEvents: Sendable {
    /// One event.
    package struct Event: Sendable, Hashable {
        /// The token from which to resume, if the event marks such a place.
        package var id: String?
        /// The data of the event.
        package var data: [UInt8]
    }

    private var id: String?
    private var data: [UInt8] = []
    private var hasData = false

    /// Begins before the first event.
    package init() {}

    /// Takes in a line.
    /// - Parameter line: Without its end; the empty line completes an event.
    /// - Returns: The event that the line completes.
    package mutating func event(after line: [UInt8]) -> Event? {
        if line.isEmpty {
            defer {
                id = nil
                data = []
                hasData = false
            }
            return hasData ? Event(id: id, data: data) : nil
        }
        let parts = line.split(separator: UInt8(ascii: ":"), maxSplits: 1, omittingEmptySubsequences: false)
        var value = parts.count > 1 ? parts[1] : []
        if value.first == UInt8(ascii: " ") { value = value.dropFirst() }
        switch String(decoding: parts[0], as: UTF8.self) {
        case "id": id = String(decoding: value, as: UTF8.self)
        case "data":
            if hasData { data.append(UInt8(ascii: "\n")) }
            data.append(contentsOf: value)
            hasData = true
        default: break
        }
        return nil
    }
}

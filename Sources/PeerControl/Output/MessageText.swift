import KairanClient

extension MessageCommand {
    /// As much of a message as a line of a table takes.
    private static let gistCharacterCount = 60

    /// Describes the outcome of sending a message, for people.
    static func sent(_ message: Message, style: Style) -> String {
        let audience =
            message.recipients.isEmpty
            ? "all readers of the zone" : Words.count(message.recipients.count, "account", "accounts")
        let end = message.expiresAt.map { ", expires \(Words.time($0))" } ?? ""
        return "Sent \(style.id(message.message)) to \(audience)\(end)."
    }

    /// Messages of a zone, for people.
    static func list(_ messages: [Message], style: Style) -> String {
        table(messages, ofOneZone: true, style: style).text(style: style, empty: "no messages; `kairan send` sends one")
    }

    /// Messages, one a line.
    /// - Parameters:
    ///   - messages: The messages.
    ///   - isOfOneZone: Whether all are of one zone, so that it need not be named but how it stands with each.
    ///   - style: The style of the output.
    /// - Returns: The table.
    static func table(_ messages: [Message], ofOneZone isOfOneZone: Bool, style: Style) -> Table {
        var table = Table([
            .text("MESSAGE"), .text("FROM"), .text("SENT"), .text(isOfOneZone ? "STATE" : "ZONE"), .number("SIZE"),
            .text("TEXT"),
        ])
        let ids = messages.map(\.message)
        for message in messages {
            table.add([
                Table.Cell(style.showsWholeIDs ? message.message : Words.short(message.message, of: ids)),
                Table.Cell(style.account(message.from)),
                Table.Cell(style.time(message.sentAt)),
                isOfOneZone ? state(message.state.rawValue, message) : Table.Cell(style.zone(message.zone)),
                Table.Cell(Words.size(message.size)), Table.Cell(gist(message)),
            ])
        }
        return table
    }

    /// The names of devices and zones by id, as far as this program may ask for them.
    static func names(_ client: DaemonClient) async -> [String: String] {
        var names: [String: String] = [:]
        // An application learns of no device; its message is shown all the same.
        for peer in (try? await client.peers()) ?? [] { names[peer.device] = peer.name }
        for device in (try? await client.account())?.devices ?? [] { names[device.device] = device.name }
        for zone in (try? await client.zones()) ?? [] { names[zone.zone] = zone.name }
        return names.filter { !$0.value.isEmpty }
    }

    /// A message for people.
    /// - Parameters:
    ///   - message: The message.
    ///   - names: The names of devices and zones by id.
    ///   - style: The style of the output.
    /// - Returns: Several lines.
    static func text(_ message: Message, names: [String: String] = [:], style: Style) -> String {
        var facts = [
            ("from", "\(style.account(message.from)), device \(name(message.device, names, style))"),
            ("zone", name(message.zone, names, style)),
            ("sent", style.time(message.sentAt)),
        ]
        if let expiresAt = message.expiresAt { facts.append(("gone", Words.time(expiresAt))) }
        facts.append(("type", "\(message.contentType), \(Words.count(message.size, "byte", "bytes"))"))
        if !message.recipients.isEmpty {
            facts.append(("to", message.recipients.map(style.account).joined(separator: ", ")))
        }
        for (name, other) in [
            ("answers", message.replyTo), ("edits", message.edits), ("reacts", message.reactsTo),
        ] {
            if let other { facts.append((name, style.id(other))) }
        }
        facts.append(("state", state(message.state.rawValue, message).text))
        if let payload = message.payload { facts.append(("here", presence(payload))) }
        let lines = facts.map { name, value in
            "  " + name + String(repeating: " ", count: 9 - name.count) + Table.visible(value)
        }
        var parts = [
            ([style.bold(style.id(message.message))] + lines).joined(separator: "\n"), content(message, style: style),
        ]
        if let deliveries = message.deliveries { parts.append(deliveryTable(deliveries, names, style: style)) }
        return parts.joined(separator: "\n\n")
    }

    /// The whole content, line by line: characters that would move the cursor are shown, not executed.
    private static func content(_ message: Message, style: Style) -> String {
        if let text = message.text { return shown(text) }
        let gist = style.dim(Table.visible(gist(message)))
        guard message.data != nil || message.payload?.state == .present else { return gist }
        return gist + "\n`kairan message get \(style.id(message.message))` writes it to a file."
    }

    /// A text of any number of lines; characters that would move the cursor are shown, not executed.
    private static func shown(_ text: String) -> String {
        let lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
        return lines.map { Table.visible(String($0)) }.joined(separator: "\n")
    }

    /// Converts the bytes of a text type in the same way.
    static func shown(_ bytes: [UInt8]) -> [UInt8] {
        Array(shown(String(decoding: bytes, as: UTF8.self)).utf8)
    }

    /// The part of a payload that is here.
    private static func presence(_ payload: MessagePayload) -> String {
        switch payload.state {
        case .present: "all of it"
        case .fetching: "\(payload.percent)% of it"
        default: "nothing of it"
        }
    }

    /// A name with the beginning of the id, or that alone.
    private static func name(_ id: String, _ names: [String: String], _ style: Style) -> String {
        names[id].map { "\($0) (\(style.id(id)))" } ?? style.id(id)
    }

    private static func deliveryTable(
        _ deliveries: [MessageDelivery],
        _ names: [String: String],
        style: Style
    ) -> String {
        var table = Table([.text("ACCOUNT"), .text("DEVICE"), .text("STATE")])
        for delivery in deliveries {
            table.add([
                Table.Cell(style.account(delivery.account)), Table.Cell(name(delivery.device, names, style)),
                state(delivery.state.rawValue),
            ])
        }
        return table.text(style: style, empty: "for no other device")
    }

    /// The beginning of the content, or a description of its absence.
    private static func gist(_ message: Message) -> String {
        if let text = message.text {
            let isLong = text.count > gistCharacterCount
            return isLong ? text.prefix(gistCharacterCount - 1) + "…" : text
        }
        let isReadable = message.data != nil || (message.payload.map { $0.state != .absent } ?? false)
        guard isReadable else { return message.state == .failed ? "(cannot be opened)" : "(cannot be read here)" }
        return "(\(message.contentType), \(Words.count(message.size, "byte", "bytes")))"
    }

    /// The state of a message here, or of one on another device.
    private static func state(_ state: String, _ message: Message? = nil) -> Table.Cell {
        let percent = state == "fetching" ? message?.payload.map { " \($0.percent)%" } ?? "" : ""
        let text = state.replacing("_", with: " ") + percent
        switch state {
        case "failed": return Table.Cell(text) { $0.bad($1) }
        case "waiting", "queued", "fetching": return Table.Cell(text) { $0.warning($1) }
        default: return Table.Cell(text)
        }
    }
}

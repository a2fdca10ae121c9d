import ArgumentParser
import KairanClient

/// The devices of the account.
struct DeviceCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "device",
        abstract: "List and remove the devices of the account.",
        subcommands: [DeviceList.self, DeviceRemove.self]
    )

    /// Lists them.
    struct DeviceList: ControlCommand {
        static let configuration = CommandConfiguration(
            commandName: "ls",
            abstract: "List the devices of the account.",
            discussion: "EXAMPLE:\n  kairan device ls"
        )

        @OptionGroup var global: GlobalOptions

        func run(in session: Session) async throws {
            let document = try await session.client.document(.account)
            if session.isJSON {
                let devices = try RecordFile.json(document, name: "The answer")["devices"] ?? .array([])
                try session.terminal.print(line: devices.encoded)
            } else {
                let account: Account = try DaemonClient.decode(document)
                try session.terminal.print(DeviceCommand.text(account, style: session.style))
            }
        }
    }

    /// Removes one.
    struct DeviceRemove: ControlCommand {
        static let configuration = CommandConfiguration(
            commandName: "remove",
            abstract: "Remove a device from the account, for good.",
            discussion: """
                Its sessions end, and its later writes are quarantined. It keeps what it has already.

                A device in wrong hands can answer by removing this one. The recovery words outrank every device: with --words \
                no device can undo the removal, and a device that was removed by the other one comes back with it. The \
                words are read from standard input, never taken as arguments.

                EXAMPLES:
                  kairan device remove k3v7q2ma
                  kairan device remove k3v7q2ma --words
                """
        )

        @OptionGroup var global: GlobalOptions
        @Argument(help: "The device's id, or at least the first eight characters of it.")
        var device: String
        @Flag(help: "Remove it with the 24 recovery words, which are then asked for.")
        var words = false

        func run(in session: Session) async throws {
            let account = try await session.client.account()
            // One that has removed this device, and was removed by it, is removed for good with the words.
            let known = account.devices.map(\.device) + (words ? account.removed.map(\.device) : [])
            let id = DeviceCommand.id(device, among: known)
            if words {
                try await session.client.removeDevice(id, words: try await Paper(askedIn: session).words)
                try session.show(["device": .string(id), "removed": true], "Removed \(id). No device can undo it.")
            } else {
                try await session.client.removeDevice(id)
                try session.show(
                    ["device": .string(id), "removed": true],
                    "Removed \(id). If it is in wrong hands, remove it with --words: else it can answer by removing this one."
                )
            }
        }
    }

    /// The id that is meant: a beginning of eight characters or more stands for the only id that begins so.
    static func id(_ text: String, among ids: [String]) -> String {
        let fitting = ids.filter { $0.hasPrefix(text) }
        guard text.count >= 8, let id = fitting.first, fitting.count == 1 else { return text }
        return id
    }

    /// The devices for people: those of the account as a table, the removed ones in a line below.
    static func text(_ account: Account, style: Style) -> String {
        let table = text(account.devices, style: style)
        guard !account.removed.isEmpty else { return table }
        let removed = account.removed.map { "\(Table.visible($0.name)) (\(Words.short($0.device)))" }
        return table + "\n\nRemoved: " + removed.joined(separator: ", ")
    }

    private static func text(_ devices: [Device], style: Style) -> String {
        var table = Table([.text("NAME"), .text("ROLE"), .text("ADDED"), .text("LAST SEEN"), .text("DEVICE")])
        for device in devices {
            table.add([
                device.isThis ? Table.Cell(device.name) { $0.bold($1) } : Table.Cell(device.name),
                Table.Cell(device.role.replacing("_", with: " ")),
                Table.Cell(Words.time(device.addedAt)),
                Table.Cell(device.isThis ? "this device" : device.lastSeen.map(Words.time) ?? "never"),
                Table.Cell(Words.short(device.device)),
            ])
        }
        return table.text(style: style, empty: "no devices")
    }
}

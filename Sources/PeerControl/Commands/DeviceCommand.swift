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
                try session.terminal.print(DeviceCommand.text(account.devices, style: session.style))
            }
        }
    }

    /// Removes one.
    struct DeviceRemove: ControlCommand {
        static let configuration = CommandConfiguration(
            commandName: "remove",
            abstract: "Remove a device from the account, for good.",
            discussion: """
                Its sessions end, and nothing that it writes from now on counts. It keeps what it has already.

                EXAMPLE:
                  kairan device remove k3v7q2ma
                """
        )

        @OptionGroup var global: GlobalOptions
        @Argument(help: "The device's id, or at least the first eight characters of it.")
        var device: String

        func run(in session: Session) async throws {
            let devices = try await session.client.account().devices.map(\.device)
            let id = DeviceCommand.id(device, among: devices)
            try await session.client.removeDevice(id)
            try session.show(["device": .string(id), "removed": true], "Removed \(id).")
        }
    }

    /// The id that is meant: a beginning of eight characters or more stands for the only id that begins so.
    static func id(_ text: String, among ids: [String]) -> String {
        let fitting = ids.filter { $0.hasPrefix(text) }
        guard text.count >= 8, let id = fitting.first, fitting.count == 1 else { return text }
        return id
    }

    /// The devices for people.
    static func text(_ devices: [Device], style: Style) -> String {
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

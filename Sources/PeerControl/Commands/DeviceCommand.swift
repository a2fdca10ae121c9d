import ArgumentParser
import KairanClient

/// The devices of the account.
struct DeviceCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "device",
        abstract: "List, rename and remove the devices of the account.",
        subcommands: [DeviceList.self, DeviceRename.self, DeviceRemove.self]
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

    /// Renames a device.
    struct DeviceRename: ControlCommand {
        static let configuration = CommandConfiguration(
            commandName: "rename",
            abstract: "Rename a device of the account.",
            discussion: """
                All devices of the account show the new name, and so do those of accounts that meet it.

                EXAMPLE:
                  kairan device rename lap "kitchen table"
                """
        )

        @OptionGroup var global: GlobalOptions
        @Argument(help: .device, completion: .devices)
        var device: String
        @Argument(help: "The new name, 1 to 64 bytes.")
        var name: String

        func run(in session: Session) async throws {
            let account = try await session.client.account()
            let known = account.devices.map(NamedDevice.init) + account.removed
            let chosen = try ChosenID.device.choose(device, among: known, id: \.device, name: \.name)
            try await session.show(.renameDevice(chosen.device, to: name), as: NamedDevice.self) {
                "Renamed \(Table.visible(chosen.name)) to \(Table.visible($0.name))."
            }
        }
    }

    /// Removes one.
    struct DeviceRemove: ControlCommand {
        static let configuration = CommandConfiguration(
            commandName: "remove",
            abstract: "Remove a device from the account, for good.",
            discussion: """
                Its sessions end, and its later writes are quarantined. It keeps the data that it has.

                A device in wrong hands can remove this one in turn. The recovery words outrank every device: with --words \
                no device can undo the removal, which restores devices that the removed one had removed. The words are read from \
                standard input, never taken as arguments. The command asks for the device's name first; --yes takes its place.

                EXAMPLES:
                  kairan device remove lap
                  kairan device remove k3v7q2ma --words
                  kairan device remove lap --words --yes < paper.txt
                """
        )

        @OptionGroup var global: GlobalOptions
        @Argument(help: .device, completion: .devices)
        var device: String
        @Flag(help: "Remove it with the 24 recovery words, which the command asks for.")
        var words = false
        @OptionGroup var consent: ConsentOption

        func run(in session: Session) async throws {
            let account = try await session.client.account()
            // One that has removed this device, and was removed by it, is removed for good with the words.
            let known = account.devices.map(NamedDevice.init) + (words ? account.removed : [])
            let chosen = try ChosenID.device.choose(device, among: known, id: \.device, name: \.name)
            let (id, name) = (chosen.device, Table.visible(chosen.name))
            try await session.confirm(consent) {
                .removal(
                    of: [chosen],
                    outOf: account.devices.count,
                    at: account.devices.first(where: \.isThis)?.device,
                    having: try await session.client.zones(),
                    name: chosen.name
                )
            }
            if words {
                try await session.client.removeDevice(id, words: try await Paper(askedIn: session).words)
                try session.show(["device": .string(id), "removed": true], "Removed \(name). No device can undo it.")
            } else {
                try await session.client.removeDevice(id)
                try session.show(
                    ["device": .string(id), "removed": true],
                    "Removed \(name). If it is in wrong hands, remove it with --words: otherwise it can remove this one in turn."
                )
            }
        }
    }

    /// Formats the devices for people: those of the account as a table, the removed ones in a line below.
    static func text(_ account: Account, style: Style) -> String {
        let table = text(account.devices, style: style)
        guard !account.removed.isEmpty else { return table }
        let removed = account.removed.map { "\(Table.visible($0.name)) (\(style.id($0.device)))" }
        return table + "\n\nRemoved: " + removed.joined(separator: ", ")
    }

    private static func text(_ devices: [Device], style: Style) -> String {
        var table = Table([.text("NAME"), .text("ROLE"), .text("ADDED"), .text("LAST SEEN"), .text("DEVICE")])
        for device in devices {
            table.add([
                device.isThis ? Table.Cell(device.name) { $0.bold($1) } : Table.Cell(device.name),
                Table.Cell(device.role.text),
                Table.Cell(style.time(device.addedAt)),
                Table.Cell(device.isThis ? "this device" : device.lastSeen.map(style.time) ?? "never"),
                Table.Cell(style.id(device.device)),
            ])
        }
        return table.text(style: style, empty: "no devices")
    }
}

extension NamedDevice {
    /// Makes a device of the account, with its name.
    init(_ device: Device) {
        self.init(device: device.device, name: device.name)
    }
}

import ArgumentParser
import KairanClient

/// Makes this machine a device of the account whose words are typed.
struct AccountRecover: ControlCommand {
    static let configuration = CommandConfiguration(
        commandName: "recover",
        abstract: "Join the account of the 24 recovery words.",
        discussion: """
            The words are read from standard input, never taken as arguments. Any device of the account that is on and in \
            reach admits this one; if every device is gone, so are the records, and the words do not restore them. The id of \
            the account is not in the words: give it with --account if it is on the paper too, else compare it afterwards \
            with “kairan account show --full” on another device.

            At a terminal it then asks which of the other devices are lost or in wrong hands, and removes them with the words, \
            which no device can undo. Elsewhere --remove names them, together with --yes. The records come from the devices that stay: remove \
            the one that admitted this machine only when “kairan status” shows nothing pending.

            EXAMPLES:
              kairan account recover --account 3jqk7xwmq2plc5ta
              kairan account recover --remove lap --yes < paper.txt
            """
    )

    @OptionGroup var global: GlobalOptions
    @Option(
        help: ArgumentHelp("Only this account: its id, or the first 16 characters of it.", valueName: "id"),
        completion: .accounts
    )
    var account: String?
    @Option(
        help: ArgumentHelp(
            "Remove this device with the words, by its name, its id or the beginning of it; may be repeated.",
            valueName: "device"
        )
    )
    var remove: [String] = []
    @Flag(help: "Remove all other devices but the one that admits this machine.")
    var removeOthers = false
    @OptionGroup var consent: ConsentOption

    func run(in session: Session) async throws {
        // Before anything is sent; the devices are known only afterwards, and a person is asked about them then.
        if removeOthers || !remove.isEmpty, !session.canAsk {
            let which =
                removeOthers ? "all other devices but the one that admits this one" : remove.joined(separator: ", ")
            try await session.confirm(consent) {
                Irreversible(effect: "Removes \(which) from the account with the words.", name: "")
            }
        }
        let paper = try await Paper(askedIn: session)
        session.terminal.showProgress("Looking for a device of the account …")
        defer { session.terminal.endProgress() }
        let document = try await session.client.document(
            .recoverAccount(words: paper.words, account: account ?? paper.account)
        )
        session.terminal.endProgress()
        let result: PairingResult = try DaemonClient.decode(document)
        if !session.isJSON { try session.terminal.print(Self.text(result, style: session.style)) }
        let lost = try await lost(in: session, besides: result)
        if !lost.isEmpty {
            try await session.confirm(consent) {
                let account = try await session.client.account()
                let name = Words.short(account.account)
                return .removal(
                    of: lost.map(NamedDevice.init),
                    outOf: account.devices.count,
                    at: account.devices.first(where: \.isThis)?.device,
                    having: try await session.client.zones(),
                    name: name
                )
            }
        }
        for device in lost {
            try await session.client.removeDevice(device.device, words: paper.words)
            if !session.isJSON { try session.terminal.print("Removed \(Table.visible(device.name)).") }
        }
        guard session.isJSON else { return }
        var members = [JSONMember("removed", .array(lost.map { .string($0.device) }))]
        if case .object(let told) = try RecordFile.json(document, name: "The answer") { members = told + members }
        try session.terminal.print(line: JSONValue.object(members).encoded)
    }

    /// Returns the devices to remove: those named on the command line, or picked by a person.
    private func lost(in session: Session, besides result: PairingResult) async throws -> [Device] {
        let asks = remove.isEmpty && !removeOthers && Terminal.isInputTerminal && !session.isJSON
        guard asks || removeOthers || !remove.isEmpty else { return [] }
        let others = try await session.client.account().devices.filter { !$0.isThis }
        if asks { return try await DeviceChoice(others).ask(in: session) }
        let named = try remove.map { text in
            do {
                return try ChosenID.device.choose(text, among: others, id: \.device, name: \.name)
            } catch var error as InputError {
                error.detail += " None was removed."
                error.fix += " Remove one with `kairan device remove DEVICE --words`."
                throw error
            }
        }
        return removeOthers ? others.filter { $0.device != result.device } : named
    }

    /// The text of the outcome.
    static func text(_ result: PairingResult, style: Style) -> String {
        """
        \(style.good("Recovered")): \(Table.visible(result.name)) (\(style.id(result.device))) admitted this device.

            account \(result.account)

        Its records arrive from now on. “kairan account show --full” on another device must show the same account.
        """
    }
}

/// The question which of some devices are lost.
struct DeviceChoice {
    private let devices: [Device]

    /// Makes the question.
    init(_ devices: [Device]) {
        self.devices = devices
    }

    /// Asks on the terminal.
    /// - Returns: The devices that the person picks; none for an empty answer.
    /// - Throws: ``InputError`` for an answer that is no list of their numbers.
    func ask(in session: Session) async throws -> [Device] {
        guard !devices.isEmpty else { return [] }
        var table = Table([.number("#"), .text("NAME"), .text("ADDED"), .text("DEVICE")])
        for (index, device) in devices.enumerated() {
            table.add([
                Table.Cell("\(index + 1)"), Table.Cell(device.name), Table.Cell(session.style.time(device.addedAt)),
                Table.Cell(session.style.id(device.device)),
            ])
        }
        session.terminal.printError("\n" + table.text(style: session.style, empty: ""))
        session.terminal.printError(
            "Type the numbers of the devices that are lost or in wrong hands, then Enter; Enter alone removes none:"
        )
        var pieces = try InputChunks(path: nil).makeAsyncIterator()
        return try picked(by: String(decoding: try await pieces.next() ?? [], as: UTF8.self))
    }

    /// Reads an answer.
    /// - Parameter answer: Numbers, from 1, with spaces or commas between them.
    /// - Returns: The devices that have these numbers, in the order of the answer.
    /// - Throws: ``InputError``; then nothing is to be removed.
    func picked(by answer: String) throws -> [Device] {
        let numbers = answer.split { $0.isWhitespace || $0 == "," }
        return try numbers.map { text in
            guard let number = Int(text), (1...devices.count).contains(number) else {
                throw InputError(
                    detail: "\(Table.visible(String(text))) is not one of the numbers, so no device was removed.",
                    fix: "Remove them with `kairan device remove DEVICE --words`."
                )
            }
            return devices[number - 1]
        }
    }
}

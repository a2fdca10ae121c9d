import ArgumentParser
import FoundationEssentials
import KairanClient

/// A command that talks to the daemon.
protocol ControlCommand: AsyncParsableCommand {
    /// The options of every command.
    var global: GlobalOptions { get }
    /// Does the work.
    func run(in session: Session) async throws
}

extension ControlCommand {
    mutating func run() async throws {
        let path = SocketPath.choose(
            option: global.socket,
            environment: ProcessInfo.processInfo.environment,
            exists: FileManager.default.fileExists(atPath:)
        )
        let token = try TokenFile.token(ProcessInfo.processInfo.environment)
        let command = self
        do {
            try await DaemonClient.withClient(socketPath: path, token: token) { client in
                let terminal = Terminal()
                var style = terminal.style
                style.now = command.global.utc ? nil : Date()
                style.showsWholeIDs = command.global.full
                let session = Session(client: client, terminal: terminal, isJSON: command.global.json, style: style)
                try await command.run(in: session)
            }
        } catch let error as KairanError where error.kind == .unreachable {
            throw SocketRefusal(path: path) ?? error
        }
    }
}

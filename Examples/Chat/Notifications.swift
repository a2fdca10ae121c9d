import Foundation

/// Notifies the person of new messages: by the desktop's notification service if there is one, otherwise by the
/// terminal's bell.
struct Notifications {
    /// `notify-send`, which speaks with `org.freedesktop.Notifications`; `nil` where there is no desktop.
    private let program: String?

    init(environment: [String: String] = ProcessInfo.processInfo.environment) {
        let bus = environment["DBUS_SESSION_BUS_ADDRESS"] ?? environment["XDG_RUNTIME_DIR"].map { $0 + "/bus" }
        let hasBus = bus.map { $0.contains(":") || FileManager.default.fileExists(atPath: $0) } ?? false
        let folders = (environment["PATH"] ?? "").split(separator: ":")
        program =
            hasBus
            ? folders.map { $0 + "/notify-send" }.first(where: FileManager.default.isExecutableFile(atPath:)) : nil
    }

    func notify(_ title: String, _ text: String) {
        guard let program else {
            FileHandle.standardError.write(Data("\u{7}".utf8))
            return
        }
        let process = Process()
        process.executableURL = URL(filePath: program)
        // The service reads markup in the text.
        let plain = Output.clean(text).replacing("&", with: "&amp;").replacing("<", with: "&lt;")
        process.arguments = ["--app-name=Kairan chat", "--", Output.clean(title), plain]
        // A notification that cannot be shown is dropped; the message remains in the chat.
        try? process.run()
    }
}

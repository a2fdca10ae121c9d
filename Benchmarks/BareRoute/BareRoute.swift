import Hummingbird

/// One route on a Unix socket that answers with the same bytes each time: the cost of the HTTP library by itself.
@main struct BareRoute {
    static func main() async throws {
        guard CommandLine.arguments.count == 3, let size = Int(CommandLine.arguments[2]) else {
            print("usage: bare-route SOCKET BYTES")
            return
        }
        let body = ByteBuffer(repeating: UInt8(ascii: "x"), count: size)
        let router = Router()
        router.get("record") { _, _ in
            Response(status: .ok, headers: [.contentType: "application/json"], body: .init(byteBuffer: body))
        }
        let application = Application(
            router: router,
            configuration: .init(address: .unixDomainSocket(path: CommandLine.arguments[1]))
        )
        try await application.runService()
    }
}

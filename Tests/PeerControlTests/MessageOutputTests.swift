import FoundationEssentials
import KairanClient
import Testing

@testable import PeerControl

@Suite struct `Messages for people` {
    private static let message = """
        {"message":"5f0c","zone":"zzzzzzzzzz","number":7,"from":"aaaaaaaaaa","device":"dddddddddd",
        "sent_at":"2026-07-21T09:30:00.500Z","size":9,"content_type":"text/plain\\u001b[2J","text":"Milk\\n\\u001b[2Jtea",
        "to":["bbbbbbbbbb"],"reply_to":"61aa","state":"sent","deliveries":[
        {"account":"bbbbbbbbbb","device":"eeeeeeeeee","state":"queued"}]}
        """

    private func read(_ json: String) throws -> Message { try DaemonClient.decode(Array(json.utf8)) }

    @Test func `one message, with its receipts`() throws {
        #expect(
            MessageCommand.text(try read(Self.message), style: .plain) == """
                5f0c
                  from     aaaaaaaa, device dddddddd
                  zone     zzzzzzzz
                  sent     2026-07-21 09:30:00Z
                  type     text/plain�[2J, 9 bytes
                  to       bbbbbbbb
                  answers  61aa
                  state    sent

                Milk
                �[2Jtea

                ACCOUNT   DEVICE    STATE
                bbbbbbbb  eeeeeeee  queued
                """
        )
    }

    @Test func `devices and the zone are shown by name where it is known`() throws {
        let names = ["dddddddddd": "desk", "eeeeeeeeee": "her phone", "zzzzzzzzzz": "family"]
        let text = MessageCommand.text(try read(Self.message), names: names, style: .plain)
        #expect(text.contains("from     aaaaaaaa, device desk (dddddddd)\n"))
        #expect(text.contains("zone     family (zzzzzzzz)\n"))
        #expect(text.hasSuffix("bbbbbbbb  her phone (eeeeeeee)  queued"))
    }

    @Test func `the inbox, and the messages of a zone`() throws {
        var message = try read(Self.message)
        #expect(
            InboxCommand.text([message], style: .plain) == """
                MESSAGE  FROM      SENT                  ZONE      SIZE  TEXT
                5f0c     aaaaaaaa  2026-07-21 09:30:00Z  zzzzzzzz   9 B  Milk⏎�[2Jtea

                `kairan inbox finish MESSAGE` finishes one that was dealt with.
                """
        )
        #expect(InboxCommand.text([], style: .plain) == "no message waits")
        message.text = nil
        message.state = .forOthers
        #expect(
            MessageCommand.list([message], style: .plain) == """
                MESSAGE  FROM      SENT                  STATE       SIZE  TEXT
                5f0c     aaaaaaaa  2026-07-21 09:30:00Z  for others   9 B  (cannot be read here)
                """
        )
        #expect(MessageCommand.list([], style: .plain) == "no messages; `kairan send` sends one")
    }

    @Test(arguments: [
        (String(repeating: "ü", count: 61), String(repeating: "ü", count: 59) + "…"),
        (String(repeating: "ü", count: 60), String(repeating: "ü", count: 60)),
    ])
    func `a long text is cut in a table`(text: String, shown: String) throws {
        var message = try read(Self.message)
        message.text = text
        #expect(InboxCommand.text([message], style: .plain).contains("  \(shown)\n"))
    }

    @Test func `content that is not text is described`() throws {
        var message = try read(Self.message)
        (message.text, message.data) = (nil, Data([1, 2]))
        #expect(MessageCommand.list([message], style: .plain).hasSuffix("  (text/plain�[2J, 9 bytes)"))
        #expect(!MessageCommand.text(message, style: Style(isColourful: true)).contains("\u{1B}[2J"))
        (message.data, message.state) = (nil, .failed)
        #expect(MessageCommand.list([message], style: .plain).hasSuffix("  failed   9 B  (cannot be opened)"))
    }

    @Test func `a payload, as it arrives`() throws {
        var message = try read(Self.message)
        (message.text, message.deliveries, message.replyTo, message.recipients) = (nil, nil, nil, [])
        (message.contentType, message.size, message.state) = ("image/png", 3_500_000, .fetching)
        func payload(_ state: String, _ percent: Int) throws -> MessagePayload {
            try DaemonClient.decode(Array(#"{"payload":"pppp","state":"\#(state)","percent":\#(percent)}"#.utf8))
        }
        message.payload = try payload("fetching", 40)
        #expect(
            MessageCommand.list([message], style: .plain) == """
                MESSAGE  FROM      SENT                  STATE            SIZE  TEXT
                5f0c     aaaaaaaa  2026-07-21 09:30:00Z  fetching 40%  3.3 MiB  (image/png, 3500000 bytes)
                """
        )
        let rest = { (message: Message) in
            MessageCommand.text(message, style: .plain).split(separator: "\n").dropFirst(5).joined(separator: "\n")
        }
        #expect(rest(message) == "  state    fetching 40%\n  here     40% of it\n(image/png, 3500000 bytes)")
        (message.state, message.payload) = (.waiting, try payload("present", 100))
        #expect(
            rest(message) == """
                  state    waiting
                  here     all of it
                (image/png, 3500000 bytes)
                `kairan message get 5f0c` writes it to a file.
                """
        )
        (message.state, message.payload) = (.forOthers, try payload("absent", 0))
        #expect(rest(message) == "  state    for others\n  here     nothing of it\n(cannot be read here)")
    }

    @Test func `a sent message, with its recipients`() throws {
        var message = try read(Self.message)
        #expect(MessageCommand.sent(message, style: .plain) == "Sent 5f0c to 1 account.")
        message.recipients = []
        message.expiresAt = message.sentAt
        #expect(
            MessageCommand.sent(message, style: .plain)
                == "Sent 5f0c to all readers of the zone, expires 2026-07-21 09:30:00Z."
        )
    }

    @Test func `text is sent as text, everything else as it is`() {
        #expect(Send.content(Array("a".utf8), contentType: nil) == .text("a"))
        #expect(Send.content(Array("a".utf8), contentType: "TEXT/html") == .text("a"))
        #expect(Send.content(Array("a".utf8), contentType: "image/png") == .data(Data([0x61])))
        #expect(Send.content([0xFF], contentType: nil) == .data(Data([0xFF])))
    }

    @Test(arguments: 1...7) func `text is known as text wherever it is cut`(count: Int) async throws {
        let text = Array("aé€🦀\u{10FFFF}\u{0}z".utf8)
        var pieces = TextPieces()
        var whole: [UInt8] = []
        for begin in stride(from: 0, to: text.count, by: count) {
            let piece = pieces.take(Array(text[begin..<min(begin + count, text.count)]))
            #expect(String(validating: piece, as: UTF8.self) != nil)
            whole += piece
        }
        #expect(whole == text && pieces.isWhole)
    }

    @Test(arguments: [
        [0xFF], [0xC3], [0x61, 0xF0, 0x9F, 0xA6], [0xE2, 0x28, 0xA1], [0xC0, 0x80], [0xED, 0xA0, 0x80],
    ])
    func `binary content is not taken for text`(bytes: [UInt8]) async throws {
        let input = LargeInput(bytes, nil) { #expect($0 == bytes.count) }
        for try await piece in input { #expect(piece == bytes) }
        #expect(!input.isText)
        var pieces = TextPieces()
        #expect(pieces.take(bytes) + pieces.takeRest() == bytes && pieces.isWhole)
    }

    @Test func `text on a terminal moves no cursor and keeps its lines`() {
        #expect(MessageCommand.shown(Array("a\u{1B}[2J\n\tb\n".utf8)) == Array("a�[2J\n b\n".utf8))
        #expect(MessageCommand.shown([0x61, 0xFF]) == Array("a�".utf8))
    }

    @Test(arguments: [
        (0, "0 B"), (1023, "1023 B"), (1024, "1.0 KiB"), (1536, "1.5 KiB"), (1_048_524, "1023.9 KiB"),
        (1_048_575, "1.0 MiB"), (3_500_000, "3.3 MiB"), (1_073_741_823, "1.0 GiB"), (1 << 40, "1024.0 GiB"),
    ])
    func `sizes are short`(byteCount: Int, text: String) {
        #expect(Words.size(byteCount) == text)
    }

    @Test func `how far something large is`() {
        func bar(_ verb: String, _ byteCount: Int, _ size: Int?, _ seconds: Double = 2) -> String {
            ProgressBar(verb, byteCount, of: size, seconds: seconds).text
        }
        #expect(
            bar("Uploaded", 1 << 20, 4 << 20)
                == "[#####---------------]  25%  Uploaded 1.0 MiB of 4.0 MiB, 512.0 KiB a second, 6 s left"
        )
        #expect(
            bar("Uploaded", 5 << 20, 3 << 20, 0).hasPrefix("[####################] 100%  Uploaded 5.0 MiB of 3.0")
        )
        #expect(bar("Written", 0, 0) == "Written 0 B of 0 B, 0 B a second")
        #expect(bar("Uploaded", 2048, nil) == "Uploaded 2.0 KiB, 1.0 KiB a second")
    }
}

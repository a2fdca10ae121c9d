import KairanClient
import Testing

@testable import PeerControl

@Suite struct `Names of accounts for people` {
    private static func account(_ id: String, _ petname: String?, _ display: String?) -> NamedAccount {
        let json =
            #"{"account":"\#(id)","account_name":\#(quoted(petname ?? display)),"petname":\#(quoted(petname)),"#
            + #""display_name":\#(quoted(display)),"this":false}"#
        do {
            return try DaemonClient.decode(Array(json.utf8))
        } catch {
            preconditionFailure("\(error)")
        }
    }

    private static func quoted(_ text: String?) -> String { text.map { JSONValue.string($0).encodedText } ?? "null" }

    private func style(_ accounts: NamedAccount...) -> Style {
        var style = Style.plain
        style.accounts = Labels(accounts)
        return style
    }

    @Test func `are the petname, else the display name, else the beginning of the id`() {
        let style = style(
            Self.account("aaaaaaaaaaaa", "Bob from work", "Bob"),
            Self.account("bbbbbbbbbbbb", nil, "Carol"),
            Self.account("cccccccccccc", nil, nil)
        )
        #expect(style.account("aaaaaaaaaaaa") == "Bob from work")
        #expect(style.account("bbbbbbbbbbbb") == "Carol")
        #expect(style.account("cccccccccccc") == "cccccccc")
        #expect(style.account("dddddddddddd") == "dddddddd")
    }

    @Test(arguments: ["Bob", "bob", "BOB", " Bob ", "B\u{F6}b"])
    func `that look the same have the id behind, on both sides`(other: String) {
        let style = style(Self.account("aaaaaaaaaaaa", "Bob", nil), Self.account("bbbbbbbbbbbb", nil, other))
        let isSame = other != "B\u{F6}b"
        #expect(style.account("aaaaaaaaaaaa") == (isSame ? "Bob (aaaaaaaa)" : "Bob"))
        #expect(style.account("bbbbbbbbbbbb") == (isSame ? "\(other) (bbbbbbbb)" : other))
    }

    @Test(arguments: [
        ("Alice", "\u{410}lice"), ("Alice", "Ali\u{441}e"), ("Bob", "B\u{3BF}b"), ("anna", "\u{430}nn\u{430}"),
        ("Harvest", "\u{397}arvest"), ("node1", "nodel"), ("Bill", "BiIl"),
    ])
    func `that look the same in letters of other scripts have the id behind`(name: String, other: String) {
        let style = style(
            Self.account("aaaaaaaaaaaa", name, nil),
            Self.account("bbbbbbbbbbbb", nil, other),
            Self.account("cccccccccccc", nil, "Carol")
        )
        #expect(style.account("aaaaaaaaaaaa") == "\(name) (aaaaaaaa)")
        #expect(style.account("bbbbbbbbbbbb") == "\(other) (bbbbbbbb)")
        #expect(style.account("cccccccccccc") == "Carol")
    }

    @Test(arguments: ["Анна", "Ελένη", "花子", "Zoë", "x"]) func `of any script are shown alone if none looks the same`(
        name: String
    ) {
        let style = style(Self.account("aaaaaaaaaaaa", name, nil), Self.account("bbbbbbbbbbbb", nil, "Bob"))
        #expect(style.account("aaaaaaaaaaaa") == name && style.account("bbbbbbbbbbbb") == "Bob")
    }

    @Test func `a skeleton is as long as it takes`() {
        let text = String(repeating: "\u{FDFA}", count: 100)
        let skeleton = LookAlikes.skeleton(text)
        #expect(skeleton.unicodeScalars.count > 1_000 && LookAlikes.skeleton(skeleton) == skeleton)
        #expect(LookAlikes.skeleton("") == "")
    }

    @Test func `that are the beginning of another one's id have their own id behind`() {
        let style = style(Self.account("aaaaaaaaaaaa", nil, nil), Self.account("bbbbbbbbbbbb", nil, "aaaaaaaa"))
        #expect(style.account("bbbbbbbbbbbb") == "aaaaaaaa (bbbbbbbb)")
        let other = self.style(
            Self.account("lo17aaaaaaaa", nil, nil),
            Self.account("bbbbbbbbbbbb", nil, "L\u{43E}l7")
        )
        #expect(other.account("bbbbbbbbbbbb") == "L\u{43E}l7 (bbbbbbbb)", "as the id looks")
    }

    @Test func `do not control the terminal, and are shown with whole ids where those are asked for`() {
        var style = style(Self.account("aaaaaaaaaaaa", nil, "a\u{200B}b"), Self.account("bbbbbbbbbbbb", nil, "Bob"))
        #expect(style.account("aaaaaaaaaaaa") == "a�b")
        style.showsWholeIDs = true
        #expect(style.account("bbbbbbbbbbbb") == "Bob (bbbbbbbbbbbb)")
        #expect(style.account("cccccccccccc") == "cccccccccccc")
    }

    @Test func `are listed with both, and messages name their sender`() throws {
        let bob = Self.account("aaaaaaaaaaaa", "Bob from work", "Bob")
        #expect(
            AccountCommand.text([bob, Self.account("bbbbbbbbbbbb", nil, nil)], style: .plain) == """
                PETNAME        DISPLAY NAME  ACCOUNT
                Bob from work  Bob           aaaaaaaa
                –              –             bbbbbbbb
                """
        )
        let message: Message = try DaemonClient.decode(
            Array(
                """
                {"message":"5f0c","zone":"z","number":7,"from":"aaaaaaaaaaaa","from_name":"Bob from work","device":"d",
                "sent_at":"2026-07-21T09:30:00.500Z","size":4,"content_type":"text/plain","text":"Milk","to":[],"state":"sent"}
                """.utf8
            )
        )
        #expect(message.fromName == "Bob from work")
        #expect(MessageCommand.list([message], style: style(bob)).contains("5f0c     Bob from work  2026-07-21"))
    }
}

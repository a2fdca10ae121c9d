import FoundationEssentials
import KairanClient
import Testing

@testable import PeerControl

@Suite struct `Relays for people` {
    private func read<Value: Decodable>(_ text: String) throws -> Value {
        try DaemonClient.decode(Array(text.utf8))
    }

    @Test func `those that are used`() throws {
        let relays: [Relay] = try read(
            """
            [{"relay":"abcdefghijkl","address":"relay.example:7620","addresses":["relay.example:7620"],
            "state":"connected","own":true,"accounts":["zyxwvutsrqpo"],"stored_bytes":4352,"quota_bytes":1073741824,"backend":"sqlite","waiting":12,
            "since":"2026-07-21T09:30:00.125Z"},
            {"relay":"mnopqrstuvwx","address":"[2001:db8::1]:7620","addresses":["[2001:db8::1]:7620","h:1"],
            "state":"unreachable","own":false,"accounts":["zyxwvutsrqpo","yxwvutsrqpon"],"stored_bytes":null,
            "quota_bytes":null,"backend":null,"waiting":0,"since":null}]
            """
        )
        #expect(
            RelayCommand.text(relays, style: .plain) == """
                RELAY     ADDRESS             STATE        OF                   STORED    QUOTA  BACKEND  WAITING  SINCE
                abcdefgh  relay.example:7620  connected    this account        4.3 KiB  1.0 GiB  sqlite        12  2026-07-21 09:30:00Z
                mnopqrst  [2001:db8::1]:7620  unreachable  zyxwvuts, yxwvutsr        –        –  –              0  –
                """
        )
        #expect(RelayCommand.text([Relay](), style: .plain) == "no relay is used; `kairan relay use` adds one")
        let coloured = RelayCommand.text(relays, style: Style(isColourful: true))
        #expect(coloured.contains("\u{1B}[32mconnected\u{1B}[0m") && coloured.contains("\u{1B}[33munreachable"))
    }

    @Test func `accounts for which parcels are kept`() throws {
        let admissions: [Admission] = try read(
            """
            [{"admission":"abcdefghijkl","name":"Ada's \\u001b[2Jmachines","stored_bytes":1048576,
            "quota_bytes":5000000000,"parcels":3,"passes":2,"pass_bytes":8704,"backend":"jetstream","since":"2026-07-21T09:30:00.125Z"}]
            """
        )
        #expect(
            RelayCommand.text(admissions, style: .plain) == """
                ADMISSION  NAME                PARCELS   STORED    QUOTA  PASSES  UNDER THEM  BACKEND    SINCE
                abcdefgh   Ada's �[2Jmachines        3  1.0 MiB  4.7 GiB       2     8.5 KiB  jetstream  2026-07-21 09:30:00Z
                """
        )
        #expect(
            RelayCommand.text([Admission](), style: .plain)
                == "no account is admitted; `kairan relay admit` admits one"
        )
        #expect(
            RelayCommand.text(admissions[0]) == """
                Keeps up to 4.7 GiB for Ada's �[2Jmachines. Any account that has the link can use \
                it, and it is not shown again: run `kairan relay use` with it on one of the account's devices.
                """
        )
    }
}

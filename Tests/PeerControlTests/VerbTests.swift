import ArgumentParser
import Testing

@testable import PeerControl

@Suite struct `Command lines` {
    @Test(arguments: [
        "status", "peers", "metrics", "pair offer", "pair accept GZIP-CWCE", "pair accept GZIP CWCE", "device ls",
        "device remove k3v7q2ma", "device rename lap desk", "account show", "account ls", "account name",
        "account name A",
        "account petname a", "account petname a B", "account petname a --remove", "account recovery-key",
        "zone create n", "zone ls",
        "zone ls --database shared", "zone show z",
        "zone create n --container c --history fromJoin", "zone delete z", "put z n", "put z n a=b c:=1",
        "put z n --type T --if-version 4f a=b", "put z n --file -", "put z n --unset a --replace", "get z n", "ls z",
        "ls z --after a --limit 2", "rm z n", "rm z n --if-version 4f", "batch z --file f", "import z",
        "import z --file f", "export z", "changes z", "changes --since t --limit 5", "watch", "watch z --since t",
        "query z --type T", "query z --type T --where a=1 --sort a --sort=-b --limit 5 --cursor c",
        "index ls c", "index add c T f", "index add c T f --text", "index rm c T f", "zone ls --utc --full",
        "conflicts", "conflicts z", "pending", "pending z", "resolve z n --take v", "resolve z n --file f",
        "completions bash",
        "completions zsh", "completions fish", "quarantine ls", "quarantine ls z", "quarantine adopt 1.a",
        "quarantine purge 1.a --zone z", "share ls z", "share grant z a --rights read",
        "share grant z a --rights append --delegate --depth 2 --types A B --prefix p --expires 30d",
        "share revoke z a --reason why", "share transfer z a", "share transfer z a --keep write",
        "share transfer z --cancel", "share accept z", "share decline z", "share public z",
        "share public z --world read --authenticated read,create --creator none", "share public z --off",
        "share raise-cut z a", "leave z", "epoch rotate z",
        "share invite z --rights read", "share withdraw z i", "share approve z r",
        "share invite z --rights write --uses 5 --expires 30d --approve --by-relay --address h:1 --address i:2",
        "share deny z r",
        "join kairan://join#x", "join ls",
        "send z hello", "send z", "send z --file -", "send z a --to x --to y --content-type text/html --expires 2d",
        "send z a --reply-to m", "send z a --edit m", "send z a --react m", "message ls z",
        "message ls z --after 7 --limit 2", "message show m", "message get m -o f", "inbox", "inbox --wait",
        "inbox ls --wait --limit 5",
        "inbox finish m n", "inbox finish --through 7", "inbox finish --through 7 --zone z",
        "join open l", "join l --no-wait", "join open l --timeout 30", "join forget i", "block a", "block ls",
        "block add a", "unblock a",
        "relay use kairan://relay#x", "relay ls", "relay forget r", "relay admit Ada", "relay usage", "relay dismiss a",
        "relay admit Ada --quota 1048576 --address h:1 --address i:2",
        "put z n a=@f --media-type image/png", "put z n a=@- b=@@x", "asset add z r f p",
        "asset add z r f - --name n --media-type image/png --thumbnail t", "asset get z r f -o p",
        "asset get z r f --item 2 --output p", "asset ls z",
        "asset ls z --copies-below 2 --all-details", "asset fetch z r f", "asset fetch z r f --item 0",
        "asset cancel z r f --item 1", "asset policy z", "asset policy z never", "asset policy z on-demand",
        "asset policy z 10M", "asset policy z always", "asset policy z default", "asset policy z --no-relays",
        "asset policy z never --relays", "asset policy z default --no-relays", "asset why a", "asset gc",
        "asset gc --dry-run", "asset gc --yes", "asset evict z r f", "asset evict z r f --item 2 --copies 3 --others",
        "asset evict z --all", "asset evict z --all --larger-than 10M --yes --copies 64",
        "asset link z r f p", "asset link z r f p --item 1", "asset link z r f p --media-type image/png",
        "asset unlink z r f", "asset unlink z r f p --item 0", "asset links", "asset links z",
        "asset import --link d z",
        "folder d z", "folder sync d z", "folder d z --once --dry-run",
        "folder d z --confirm-deletions", "folder d z --begin-anew", "folder trash d", "folder trash d --restore a/b",
    ])
    func `of each verb are understood, with the global options on either side`(line: String) async throws {
        let words = line.split(separator: " ").map(String.init)
        let global = ["--socket", "/s", "--json"]
        for arguments in [words, global + words, words + global] {
            let command = try await PeerControl.asyncParseAsRoot(GlobalOptions.reordered(arguments))
            let isGroup = command is PeerControl || command is ZoneCommand || command is Pair
            #expect(!(command is ShareCommand) && !(command is BlockCommand) && !(command is JoinCommand))
            #expect(!isGroup && !(command is EpochCommand))
            #expect(!(command is MessageCommand) && !(command is InboxCommand) && !(command is RelayCommand))
            #expect(!(command is DeviceCommand) && !(command is AccountCommand) && !(command is AssetCommand))
            #expect(!(command is FolderCommand))
        }
    }

    @Test(arguments: ["message get m", "message get m --output -"])
    func `that write out bytes are understood without --json`(line: String) async throws {
        let words = line.split(separator: " ").map(String.init)
        #expect(try await PeerControl.asyncParseAsRoot(GlobalOptions.reordered(words)) is MessageCommand.MessageGet)
    }

    @Test(arguments: ["asset get z r f", "asset get z r f --output -"])
    func `that write out the bytes of an asset are understood without --json`(line: String) async throws {
        let words = line.split(separator: " ").map(String.init)
        #expect(try await PeerControl.asyncParseAsRoot(GlobalOptions.reordered(words)) is AssetCommand.AssetGet)
    }

    @Test(arguments: [
        "bogus", "get z", "put z", "put z n a", "put z n a=b --file f", "resolve z n", "resolve z n --take v --file f",
        "ls z --limit 0", "query z", "query z --type T --limit 1001", "changes z --limit 1001", "completions tcsh",
        "index add c T",
        "zone create n --history some", "status x",
        "--socket", "status --socket=", "share grant z a", "share grant z a --rights relay", "share ls",
        "share grant z a --rights read --depth 8", "share grant z a --rights read --expires 30s",
        "share public z --world all", "share invite z",
        "share invite z --rights read --uses 0", "share invite z --rights read --expires 31d", "unblock",
        "share public z --off --world read", "account petname", "account petname a B --remove", "device rename lap",
        "share transfer z", "share transfer z a --cancel", "share transfer z --cancel --keep read", "share accept",
        "share decline",
        "send", "join l --timeout -1", "join l --no-wait --timeout 3", "watch z --fields --json", "send z a --file f",
        "send z a --reply-to m --react m", "send z a --expires 30s",
        "send z a --expires 3651d", "message ls z --limit 0", "message get", "message get m --json",
        "message get m --json -o -", "inbox --limit 1001", "inbox finish",
        "inbox finish m --through 7", "inbox finish m --zone z", "inbox finish --through x",
        "relay use", "relay forget", "relay admit", "relay admit Ada --quota 1048575", "relay admit Ada --quota 1G",
        "put z n a=@", "put z n a=b --media-type image/png", "put z n a=@f b=@g --media-type image/png",
        "put z n a=@- b=@-", "asset add z r f", "asset add z r f p --name a/b", "asset add z r f p --name ..",
        "asset get z r", "asset get z r f --item -1", "asset get z r f --json",
        "asset get z r f --json -o -", "asset ls",
        "asset ls z --copies-below 0", "asset policy z some", "asset policy z 10T", "asset policy z 1.5M",
        "asset policy z 99999999999G", "asset why", "asset gc --dry-run --yes",
        "asset evict z", "asset evict z r", "asset evict z r f --copies 0", "asset evict z r f --copies 65",
        "asset evict z r f --all", "asset evict z --all --item 1", "asset evict z r f --larger-than 1M",
        "asset evict z r f --yes", "asset evict z --all --larger-than 1T", "asset evict z r f --item -1",
        "asset link z r f", "asset link z r f p --item -1", "asset unlink z r", "asset links z y",
        "folder", "folder d", "folder d z --begin-anew --confirm-deletions", "folder trash",
        "folder trash d --restore /a",
        "relay dismiss", "relay admit Ada --quota -1", "relay admit \(String(repeating: "x", count: 256))",
    ])
    func `that make no sense end with 64`(line: String) async throws {
        let words = line.split(separator: " ").map(String.init)
        let error = await #expect(throws: (any Error).self) {
            try await PeerControl.asyncParseAsRoot(GlobalOptions.reordered(words))
        }
        let failure = Failure(try #require(error))
        #expect(failure.exitCode == 64)
    }

    @Test func `that make no sense are answered in the tool's own name`() {
        #expect(Failure.usageText("Error: No.\nUsage: kairan") == "kairan: No.\nUsage: kairan")
        #expect(Failure.usageText("Help.") == "Help.")
    }

    @Test(arguments: ["bash", "zsh", "fish"])
    func `are completed by each shell`(shell: String) throws {
        let script = PeerControl.completionScript(for: try #require(CompletionShell(rawValue: shell)))
        #expect(script.contains("recovery-key") && script.contains("if-version"))
    }
}

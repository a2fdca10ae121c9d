import FuzzKit
import LocalAPI
import Logging
import Sync
import TestSupport

@testable import Node
@testable import PeerDaemon

/// A view of the feed with a filter.
private let someRecords = FeedView(filter: FeedFilter(type: "note"))

/// A change token, which a program keeps and returns.
///
/// Laws: a text that reads as a token is written so that it reads the same; a token that was made is read, and none
/// that was changed.
let changeTokenTarget = FuzzTarget(
    "change-tokens",
    inputByteCountMax: 160,
    run: { bytes in
        var input = FuzzInput(bytes)
        let feed = (0..<16).map { _ in input.byte() }
        let position = (0..<8).reduce(0) { sum, _ in sum << 8 | UInt64(input.byte()) }
        let begin = (0..<8).reduce(0) { sum, _ in sum << 8 | UInt64(input.byte()) }
        for (view, other) in [(FeedView(), someRecords), (someRecords, FeedView())] {
            if let token = FeedToken(String(decoding: bytes, as: UTF8.self), for: view) {
                demand(token.text(of: view).utf8.elementsEqual(bytes), "a token has one text")
                demand(token.feed.count == 16, "a feed has 16 bytes")
                demand(view.filter != nil || token.begin == 0, "only a filtered view has a beginning")
            }
            let from = view.filter == nil ? 0 : begin
            let made = FeedToken(feed: feed, position: FeedPosition(position), begin: from)
            var text = Array(made.text(of: view).utf8)
            let read = String(decoding: text, as: UTF8.self)
            demand(FeedToken(read, for: view) == made, "a token reads as it was written")
            demand(FeedToken(read, for: other) == nil, "a token of another filter is none")
            text[input.below(text.count)] ^= 1 << (input.byte() & 7)
            let changed = String(decoding: text, as: UTF8.self)
            demand(FeedToken(changed, for: view) == nil, "a changed token is none")
        }
    },
    seeds: {
        var generator = SeededGenerator(seed: 20)
        return (0..<8).map { index in
            let position = FeedPosition(generator.next())
            let token = FeedToken(feed: generator.bytes(16), position: position)
            let view = index < 2 ? FeedView() : someRecords
            return index < 4 ? Array(token.text(of: view).utf8) : generator.bytes(40)
        }
    }
)

/// Addresses of peers as people write them and as mDNS reports them.
let addressTarget = FuzzTarget(
    "addresses",
    inputByteCountMax: 200,
    run: { bytes in
        guard let address = PeerAddress(String(decoding: bytes, as: UTF8.self)) else { return }
        demand(address.port > 0 && !address.host.isEmpty, "an address leads somewhere")
        guard address.host.contains(":") || address.interfaceIndex == 0 else { return }
        if address.host.hasPrefix("[") || address.host.contains("%") || address.host.hasSuffix("]") { return }
        demand(PeerAddress(address.description) == address, "an address means itself: \(address)")
    },
    seeds: {
        ["host:1", "[::1]:80", "[fe80::1%2]:7000", "192.168.1.2:65535", "a.b.example:22"].map { Array($0.utf8) }
    }
)

private let files = [
    "state: /var/lib/kairan\nsocket: /run/kairan.sock\nlisten: ['[::]:0', '127.0.0.1:7000']\n",
    "peers:\n  - host:7000\n  - '[fe80::1%2]:7000'\nmdns: false\ninterfaces: [eth0]\ngroup: users\nlog-level: debug\n",
    "mdns: yes # a comment\n\"state\": &a /x\nsocket: *a\n",
    "--- !!map\n? listen\n: [a, [b]]\n...\n",
]

private let applicationFiles = [
    "uid: 1000\ncontainers: [org.example.notes, org.example.mail]\nread-only: true\n",
    "gid: 4294967294\ncontainers:\n  - a.b\nrequests-per-second: 5\nburst: 10\nstorage-limit: 1000000\n",
    "uid: nobody\ncontainers: [x.y]\nstorage-limit: -1\nburst: 99999999999999999999\n",
]

/// A file that binds an application.
let applicationTarget = FuzzTarget(
    "application",
    inputByteCountMax: 1_024,
    run: { bytes in
        do throws(DaemonConfiguration.Refusal) {
            let text = String(decoding: bytes, as: UTF8.self)
            let binding = try ApplicationFile.binding(name: "k", path: "/k.yaml", text: text)
            demand(!binding.containers.isEmpty, "an application has a container")
        } catch {
            demand(error.description.contains("/k.yaml"), "a refusal names the file")
        }
    },
    seeds: { applicationFiles.map { Array($0.utf8) } }
)

/// The daemon's configuration file.
let configurationTarget = FuzzTarget(
    "configuration",
    inputByteCountMax: 1_024,
    run: { bytes in
        do throws(DaemonConfiguration.Refusal) {
            let file = try ConfigurationFile(path: "/k.yaml", text: String(decoding: bytes, as: UTF8.self))
            _ = try DaemonConfiguration(
                flags: [:],
                environment: [:],
                files: [file],
                defaults: (state: "/state", socket: "/socket")
            )
        } catch {
            demand(!error.description.isEmpty, "a refusal says why")
        }
    },
    seeds: { files.map { Array($0.utf8) } }
)

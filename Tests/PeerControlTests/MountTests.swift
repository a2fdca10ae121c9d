import ArgumentParser
import Testing

@testable import PeerControl

@Suite struct `The command that mounts` {
    @Test func `passes its options on, and the zone and the folder behind all of them`() async throws {
        let plain = try await Mount.asyncParse(["holiday", "/h"])
        #expect(plain.arguments("holiday", "/h") == ["--wait", "30", "--", "holiday", "/h"])
        let words = ["--foreground", "--allow-other", "--exec", "--writable", "--wait", "5", "--socket", "/s"]
        let all = try await Mount.asyncParse(words + ["--", "-x", "/h"])
        #expect(
            all.arguments("-x", "/h") == [
                "--wait", "5", "--foreground", "--allow-other", "--exec", "--writable", "--socket", "/s", "--", "-x",
                "/h",
            ]
        )
    }

    @Test func `takes either a zone and a folder, or lists`() async throws {
        #expect(try await Mount.asyncParse(["--list"]).list)
        #expect(try await Mount.asyncParse(["--list", "--json"]).global.json)
        for words in [
            [], ["holiday"], ["holiday", "/h", "--list"], ["holiday", "--list"], ["holiday", "/h", "--json"],
            ["holiday", "/h", "--wait", "301"], ["holiday", "/h", "--wait=-1"],
        ] {
            await #expect(throws: (any Error).self, "\(words)") { try await Mount.asyncParse(words) }
        }
    }

    @Test func `looks for the program beside itself, then where packages put it, then as a shell does`() {
        let places = HelperProgram.mount.places(besides: "/opt/k/bin/kairan", searched: "/usr/bin:relative::/bin")
        #expect(
            places == [
                "/opt/k/bin/kairan-mount", "/opt/k/bin/../lib/kairan/kairan-mount", "/usr/lib/kairan/kairan-mount",
                "/usr/bin/kairan-mount", "/bin/kairan-mount",
            ]
        )
    }

    @Test func `reads the kernel's table of mounts`() {
        let text = #"""
            22 27 0:21 / /proc rw,nosuid - proc proc rw
            46 27 0:43 / /home/ada/My\040photos ro,nosuid shared:7 master:1 - fuse.kairan holiday ro,user_id=0
            47 27 0:44 / /mnt/a\134b ro - fuse.kairan q7x ro
            48 27 0:45 / /mnt/other ro - fuse.sshfs kairan ro
            broken line
            """#
        #expect(
            MountTable(Array(text.utf8)).entries == [
                MountTable.Entry(folder: "/home/ada/My photos", zone: "holiday"),
                MountTable.Entry(folder: #"/mnt/a\b"#, zone: "q7x"),
            ]
        )
    }
}

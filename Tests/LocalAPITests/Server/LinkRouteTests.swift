import HTTPTypes
import KairanClient
import Node
import Testing
import Wire

@testable import LocalAPI

@Suite struct `The routes for links` {
    private let node = FakeNode()
    private let place = "/v1/zones/notes/records/lake/assets/picture"

    @Test func `make an asset of a file, by an absolute path or by one beneath a root`() async throws {
        let path = "/v1/zones/notes/assets/link"
        let answer = try await node.answer(to: .post, path, #"{"file":"/srv/photos/lake.jpg"}"#)
        #expect(answer.status == 201)
        #expect(
            answer.json == [
                "asset": .string(FakeNode.assetID.text), "zone": .string(FakeNode.zoneID.text), "size": 9,
                "file": "/srv/photos/lake.jpg",
            ]
        )
        let beneath = try await node.answer(to: .post, path, #"{"file":"lake.jpg","root":"/srv/photos"}"#)
        #expect(beneath.status == 201)
        #expect(node.calls == ["link /srv/photos/lake.jpg root:-", "link lake.jpg root:/srv/photos"])
        let other = try await node.answer(to: .post, path, #"{"file":"/etc/passwd"}"#)
        #expect(other.status == 400 && other.json["code"] == "link.path")
    }

    @Test func `refuse a path that is neither`() async throws {
        for body in [#"{"file":"lake.jpg"}"#, #"{"file":""}"#, #"{"file":"/a","root":"/srv"}"#] {
            let wrong = try await node.answer(to: .post, "/v1/zones/notes/assets/link", body)
            #expect(wrong.status == 400 && wrong.json["field"] == "file", "\(wrong.text)")
        }
        #expect(node.calls.isEmpty)
    }

    @Test func `link a copy of an asset's content, and end links`() async throws {
        let linked = try await node.answer(to: .post, place + "/link?item=1", #"{"file":"/srv/photos/lake.jpg"}"#)
        #expect(linked.status == 200 && linked.json["linked"] == true)
        #expect(linked.json["files"] == ["/srv/photos/lake.jpg"])
        let ended = try await node.answer(to: .post, place + "/unlink")
        #expect(ended.status == 200 && ended.json["linked"] == nil && ended.json["files"] == nil)
        #expect(try await node.answer(to: .post, place + "/unlink", #"{"file":"/a"}"#).status == 200)
        #expect(
            node.calls == [
                "link /srv/photos/lake.jpg root:- to lake.picture[1]", "unlink lake.picture - root:-",
                "unlink lake.picture /a root:-",
            ]
        )
    }

    @Test func `list links, with a record of each`() async throws {
        let list = try await node.answer(to: .get, "/v1/links?zone=notes&limit=5&after=c")
        #expect(list.status == 200 && list.json["cursor"] == nil)
        let link = list.json["links"]?.elements?.first
        #expect(link?["file"] == "/srv/photos/lake.jpg" && link?["state"] == "sound" && link?["root"] == "/srv/photos")
        #expect(link?["place"]?["record"] == "lake")
        #expect(node.calls == ["links notes after:c limit:5"])
    }
}

import FuzzKit
import Wire

@testable import Sync

// Evictions, and what is bounded of the exchanges beside the replication.
extension SyncProgram {
    /// Has a content evicted, asks for its holders, or withdraws such a request.
    mutating func askAboutHolders(_ kind: Int) {
        let payload = input.one(of: world.payloads)
        orderCount += 1
        switch kind {
        case 14: feed(.evictionWithdrawn(UInt64(input.below(Int(orderCount)))))
        case 15:
            asking.insert(orderCount)
            feed(.holdersAsked(HolderQuestion(id: orderCount, payload: payload.id, zones: [payload.zone])))
        default:
            asking.insert(orderCount)
            let copies = 1 + input.below(2)
            feed(
                .evictionAsked(
                    EvictionOrder(id: orderCount, payload: payload.id, copies: copies, countsOthers: input.bool())
                )
            )
        }
    }

    func checkEvictions() {
        let (load, limits) = (core.evictionLoad, core.limits)
        demand(load.polls <= limits.evictionCountMax + limits.holderQuestionCountMax, "evictions are bounded")
        demand(load.asked <= limits.promiseAskedCountMax, "requests for promises are bounded")
        demand(load.pending <= limits.promiseAskedCountMax, "promises that a device owes are bounded")
        demand(Set(core.evictions.decidingCounts.keys).isSubset(of: core.sessions.keys), "nobody waits who is gone")
    }

    func checkDrop(_ drop: EvictionDrop) {
        let answers = core.evictions.polls[drop.attempt]?.answers ?? []
        let holders = answers.filter { if case .promised = $0.word { true } else { false } }.map(\.device)
        demand(holders.contains(drop.holder), "a content is dropped by promises")
    }

    /// Has the core look for contents that relays are to keep, as a driver does, and answers it.
    mutating func lookForContents() {
        feed(.relaysChanged(Set((0..<input.below(3)).map { _ in input.one(of: world.devices) })))
        var news = CustodyNews()
        news.contents = [input.one(of: world.payloads).id]
        news.hasSettings = input.below(4) == 0
        feed(.custodyNews(news))
        guard let search = core.takeCustodySearch() else { return }
        demand(search.relays.isSubset(of: core.connectedDevices), "relays are asked while they are there")
        guard input.below(8) > 0 else { return feed(.custodySearched(nil)) }
        var found = CustodySearch.Found()
        found.jobs = (0..<input.below(6)).map { _ in
            let job = SyncMessages(world: world).job(&input)
            return CustodyJob(
                .keep,
                for: .record,
                relay: job.relay,
                zone: job.zone,
                payload: job.payload,
                byteCount: job.byteCount
            )
        }
        (found.through, found.isAtEnd) = (search.after + 1, input.bool())
        feed(.custodySearched(found))
    }

    func checkCustody() {
        let (load, limits) = (core.custodyLoad, core.limits)
        demand(load.jobs <= limits.custodyJobCountMax, "what is to be said to relays is bounded")
        demand(load.asked <= limits.custodyAskedCountMax, "what relays have not answered is bounded")
        demand(load.pending <= limits.custodyAskedCountMax, "what a relay has not answered is bounded")
        let sessions = core.custody.waiting.values.flatMap(\.keys) + core.custody.decidingCounts.keys
        demand(Set(sessions).isSubset(of: core.sessions.keys), "nobody waits who is gone")
        let asked = Set(core.custody.errands.compactMap(\.session))
        demand(asked.isSubset(of: core.sessions.keys), "relays that are gone are asked again")
    }

    func checkLiveSets() {
        demand(core.replication.liveSets.told.count <= core.limits.liveSetCountMax, "live sets of peers are bounded")
        guard let reading = core.replication.liveSets.reading else { return }
        demand(core.sessions[reading.session] != nil, "nobody is waited for who is gone")
        demand(core.zones[reading.zone] != nil, "nothing is read of a zone that is not kept")
    }
}

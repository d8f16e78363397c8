-- Grants free keys. ARGV: whether the caller waits for replicas, the number of requests, and for each request:
-- id, instance, label, run or '', ttl, delay, whether it waits, whether it has a take-over probe, number of keys,
-- and for each key: member, cleared token or ''.

-- The mark "there are waiters" is valid for this long, and is renewed when half of it is over.
local WAITERS_MARK = 60000000
local ORIGIN_MILLIS = 1735689600000

local replicated = arg() == '1'

-- Checked once per call, and only before a grant: is this still the Redis process that the store record was
-- checked against, and was it the primary all the time? One that restarted, was promoted, or was a replica in between may
-- have lost leases. A process that is promoted begins a new replication history.
local same_primary
local function is_same_primary()
    if same_primary == nil then
        local info = redis.call('INFO', 'server', 'replication')
        same_primary = string.match(info, '\nrun_id:(%x+)') == run_id
            and string.match(info, '\nmaster_replid:(%x+)') == replid
    end
    return same_primary
end

local function next_request()
    local request = {
        id = arg(), instance = arg(), label = arg(), run = arg(), ttl = number(), delay = arg(),
        waits = arg() == '1', asks = arg() == '1', keys = {}}
    for i = 1, number() do
        request.keys[i] = {member = arg(), cleared = arg()}
        request.keys[i].lease = read(request.keys[i].member)
    end
    return request
end

local function already_granted(request)
    local result = {'granted', 0}
    for i, key in ipairs(request.keys) do
        local lease = key.lease
        if not lease or lease[ID] ~= request.id or lease.expired or lease.evicted then
            return nil
        end
        result[i + 2] = {lease, false}
    end
    if replicated then
        -- The caller waits for replicas, and WAIT covers only writes of its own connection.
        write(request.keys[1].lease, 'id', request.id)
    end
    return result
end

local function obstacle(request)
    for _, key in ipairs(request.keys) do
        local lease = key.lease
        if lease then
            if not lease.expired then
                return 'held', lease
            elseif now < lease.opens then
                return 'delayed', lease
            elseif request.asks and not lease.evicted and key.cleared ~= lease[TOKEN] then
                return 'probe', lease
            end
        end
    end
end

-- Whatever was written before the clock was set back ends as if it began now.
local function keep_shortened(lease)
    if lease.shortened then
        write(lease, 'expires', lease[EXPIRES])
        if not lease.probed then
            redis.call('ZADD', DUE, text(lease.opens), lease[MEMBER])
        end
    end
end

local function mark_waiters(lease)
    if tonumber(lease[WAITERS] or 0) < now + WAITERS_MARK / 2 then
        write(lease, 'waiters', text(now + WAITERS_MARK))
    end
end

local function grant(request, key)
    local ended = key.lease
    local by_clock = epoch * EPOCH_UNIT + math.max(1, math.floor(now / 1000) - ORIGIN_MILLIS)
    local token = text(math.max(by_clock, math.max(ended and tonumber(ended[TOKEN]) or 0, floor) + 1))
    local expires = text(now + request.ttl)
    -- The record comes last: if Redis refuses a step, there is no lease.
    redis.call('ZADD', INDEX, 0, key.member)
    if request.asks then
        -- The next holder must run a probe first, so no sweep may delete it.
        redis.call('ZREM', DUE, key.member)
    else
        redis.call('ZADD', DUE, text(now + request.ttl + tonumber(request.delay)), key.member)
    end
    local lease = {request.id, request.instance, request.label, request.run, token, text(now), expires, request.delay,
        ended and ended[WAITERS], false, false, false, key.member}
    write(lease, 'id', request.id, 'instance', request.instance, 'label', request.label, 'run', request.run,
        'token', token, 'granted', text(now), 'expires', expires, 'delay', request.delay,
        'probed', request.asks and '1' or '0')
    if ended and ended.evicted then
        redis.call('HDEL', SPACE .. ':l:' .. key.member, 'evicted_by', 'evicted_for', 'evicted_at')
    end
    return {lease, ended}
end

if no_grant_before > now + max_lease then
    no_grant_before = now + max_lease
    redis.call('HSET', STORE, 'no_grant_before', text(no_grant_before))
end
for _ = 1, number() do
    local request = next_request()
    local result = already_granted(request)
    if not result then
        local why, lease = obstacle(request)
        if now < no_grant_before then
            result = {'recovering', request.keys[1].member, text(no_grant_before)}
        elseif why then
            result = {why, lease}
        elseif not is_same_primary() then
            return {'attach', now}
        else
            result = {'granted', 1}
            for k, key in ipairs(request.keys) do
                result[k + 2] = grant(request, key)
            end
        end
        if lease then
            keep_shortened(lease)
            if request.waits then
                mark_waiters(lease)
            end
        end
    end
    answer(result)
end
return answers
